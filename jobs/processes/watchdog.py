"""Sees from outside what django-q2's cluster can't see itself: that it has stopped working."""

import logging
import time

from django.conf import settings
from django.db import OperationalError, transaction

from config.base.processes.requests import request_restart
from jobs import q2
from jobs.backlog import queue_age_seconds
from jobs.processes.database import keep_one_connection
from jobs.processes.loop import loop
from jobs.worker import activity

log = logging.getLogger(__name__)

EVERY_SECONDS = 1.0
WAITS_SECONDS = 5.0  # a job that is due for so long, while a slot is free, is a sign
STALLED_SECONDS = 5.0  # for so long without an interruption it is a stall
GRACE_SECONDS = 15.0  # for processes that have just been started
BUSY_SECONDS = 1.0  # a lock that takes longer than this keeps the workers, too
LOCKED_SECONDS = 60.0  # a lock that is held for so long may be a worker's own
PULSE_SECONDS = 30.0  # it may wait for SQLite's lock for 20


class Watchdog:
    def __init__(self) -> None:
        now = time.monotonic()
        self._stalled_since: float | None = None
        self._locked_since: float | None = None
        self._judged_from = now + GRACE_SECONDS

    def step(self) -> None:
        now = time.monotonic()
        if now < self._judged_from:
            return
        if activity.pulse_age_seconds() > PULSE_SECONDS:
            self._restart("pulse", "it does not look any more")
        self._look_at_workers(now)

    def _look_at_workers(self, now: float) -> None:
        since, self._stalled_since = self._stalled_since, None  # nor kept if the look fails
        if not self._is_stalled():
            return
        self._stalled_since = now if since is None else since
        if now - self._stalled_since >= STALLED_SECONDS:
            self._restart("worker", "jobs are due, slots are free, and nobody claims them")

    def _is_stalled(self) -> bool:
        if activity.count_working() >= settings.JOB_WORKERS:
            return False
        age = queue_age_seconds()
        return age is not None and age > WAITS_SECONDS and self._could_work()

    def _could_work(self) -> bool:
        """A restart mends neither a broker that is away nor a lock that somebody else has; one that
        is held for so long may well be a worker's."""
        if _takes_writes():
            self._locked_since = None
            return q2.broker_answers()
        now = time.monotonic()
        self._locked_since = self._locked_since or now
        return now - self._locked_since > LOCKED_SECONDS

    def _restart(self, name: str, reason: str) -> None:
        log.error("%s is restarted: %s", name, reason)
        request_restart(name, reason)
        self._stalled_since = None
        self._judged_from = time.monotonic() + GRACE_SECONDS


def _takes_writes() -> bool:
    """SQLite's lock is free: while somebody has it no job can be claimed, nor a wake-up be sent."""
    began = time.monotonic()
    try:
        with transaction.atomic():  # IMMEDIATE: it waits for the lock as a claim does
            return time.monotonic() - began < BUSY_SECONDS
    except OperationalError:
        return False


def main() -> None:
    keep_one_connection()
    loop(Watchdog().step, every_seconds=EVERY_SECONDS)
