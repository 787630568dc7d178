"""The pulse: once a second, is anything due? It wakes for what no commit announces: times that
come, leases that run out, wake-ups that got lost.
"""

import logging
import os
import time

from django.conf import settings
from django.db.models.functions import Now

from config.base.leases import machine_name
from config.base.sqlite.machine import OtherMachine, hold_database
from jobs.claiming import work_waits
from jobs.models import WorkerBeat
from jobs.processes.database import keep_one_connection
from jobs.processes.loop import loop
from jobs.waking import wake
from jobs.worker import activity

log = logging.getLogger(__name__)

EVERY_SECONDS = 1.0
BEAT_SECONDS = 5.0


class Pulse:
    def __init__(self) -> None:
        self._name = f"{machine_name()}:{os.getppid()}"  # the supervisor's: one set of processes
        self._beat_due = 0.0
        self._is_displaced = False

    def step(self) -> None:
        activity.pulse()
        if time.monotonic() >= self._beat_due:
            self._beat_due = time.monotonic() + BEAT_SECONDS
            self._is_displaced = not self._holds_database()
            activity.pulse()  # each write may have waited for SQLite's lock
            if not self._is_displaced:
                self._beat()
                activity.pulse()
        if not self._is_displaced and work_waits():
            wake()

    def _holds_database(self) -> bool:
        try:
            hold_database()
        except OtherMachine as error:
            if not self._is_displaced:
                log.critical("%s Workers here are woken no more.", error.message)
            return False
        return True

    def _beat(self) -> None:
        values = {"machine": machine_name(), "slots": settings.JOB_WORKERS, "seen_at": Now()}
        WorkerBeat.objects.update_or_create(
            name=self._name, defaults=values, create_defaults={**values, "started_at": Now()}
        )

    def stop(self) -> None:
        WorkerBeat.objects.filter(name=self._name).delete()


def main() -> None:
    keep_one_connection()
    pulse = Pulse()
    loop(pulse.step, every_seconds=EVERY_SECONDS)
    pulse.stop()
