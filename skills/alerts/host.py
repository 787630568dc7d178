"""Evaluates the rules beside the web process, some seconds behind; writers never wait for it."""

import logging
import threading

from django.db import connection
from django.utils import timezone

from config.base.leases import hold_duty, new_owner, release_duty
from skills.alerts.evaluation import raise_alerts
from skills.alerts.models import AlertRule
from skills.outages import Outages

log = logging.getLogger(__name__)

TICK_SECONDS = 5
STOP_SECONDS = 3
DUTY = "audit-alerts"
LEASE_SECONDS = 15
_owner = new_owner()


class AlertHost:
    """One at a time by a lease; what two did at once, the rules' locks would keep apart."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="audit-alerts", daemon=True)
        self._outages = Outages(log, "alert rules can't be evaluated at the moment")

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join(STOP_SECONDS)

    def _run(self) -> None:
        while not self._stopping.wait(TICK_SECONDS):
            self._outages.guard(self._round)
        self._end()
        connection.close()

    def _round(self) -> None:
        if AlertRule.objects.filter(enabled=True).exists() and self._is_ours():
            raise_alerts(timezone.now())

    def _is_ours(self) -> bool:
        return hold_duty(DUTY, owner=_owner, seconds=LEASE_SECONDS)

    def _end(self) -> None:
        try:
            release_duty(DUTY, owner=_owner)
        except Exception:
            log.exception("the lease on the alert rules was not given back")
