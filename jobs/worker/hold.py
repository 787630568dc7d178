"""Holding a batch of claimed jobs: a thread renews their leases and gives back what waits too long.

The thread has a connection of its own, so a handler that is busy, or in a long transaction on
PostgreSQL, loses nothing.
"""

import logging
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self
from uuid import UUID

from django.conf import settings
from django.db import connection

from jobs.errors import JobLeaseLost
from jobs.models import Job
from jobs.renewal import renew_leases
from jobs.services import Ready, release_job
from jobs.waking import wake
from jobs.worker import activity

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.5
QUICK_SECONDS = 0.1
PATIENCE_SECONDS = 2.0  # with a handler, before what waits behind it is given back
KILL_AFTER_SECONDS = 5.0  # past its limit, for a handler that no signal reaches


@dataclass(slots=True)
class Running:
    """The job whose handler runs at the moment."""

    job: Job
    since: float  # monotonic
    until: float  # monotonic: its hard limit
    lost: threading.Event = field(default_factory=threading.Event)


class Hold:
    def __init__(self, jobs: list[Job]) -> None:
        self._waiting = deque(jobs)
        self._running: Running | None = None
        self._taken: Job | None = None
        self._begun: Ready | None = None
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._started = time.monotonic()
        self._renewed = self._started
        self._thread = threading.Thread(target=self._loop, name="job-leases", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Whatever ended the batch, what has not begun goes back."""
        self._done.set()  # first, or the thread would renew for ever what nobody runs
        self._thread.join()
        self._give_back()

    # --- For the worker's own thread ---

    def next(self) -> Job | Ready | None:
        with self._lock:
            begun, self._begun = self._begun, None
            if begun is not None:
                return begun
            return self._waiting.popleft() if self._waiting else None

    def peek(self) -> Job | None:
        with self._lock:
            return self._waiting[0] if self._waiting else None

    def take(self, job: Job) -> bool:
        """It is to begin with the end of the one that runs: only after a quick one, or it would
        have been kept from somebody else meanwhile."""
        running = self._running
        if running is None or time.monotonic() - running.since > QUICK_SECONDS:
            return False
        with self._lock:
            if activity.is_stopping() or not self._waiting or self._waiting[0] is not job:
                return False
            self._taken = self._waiting.popleft()
            return True

    @contextmanager
    def succession(self, ready: Ready) -> Iterator[None]:
        """Whatever becomes of the transaction inside: a job that was taken in it is next."""
        try:
            yield
        finally:
            with self._lock:
                taken, self._taken = self._taken, None
                if taken is not None and taken.started_at is not None:
                    self._begun = ready
                elif taken is not None:
                    self._waiting.appendleft(taken)

    def begin(self, job: Job, hard_limit_seconds: float) -> threading.Event:
        """From now on this job's handler runs; the event tells it that its lease was lost."""
        now = time.monotonic()
        running = Running(job, now, now + hard_limit_seconds)
        with self._lock:
            self._running = running
        return running.lost

    def end(self) -> None:
        with self._lock:
            self._running = None

    # --- For the thread that renews ---

    def _loop(self) -> None:
        try:
            while not self._done.wait(min(LOOK_SECONDS, settings.JOB_RENEW_SECONDS / 2)):
                self._round()
        finally:
            connection.close()

    def _round(self) -> None:
        self._end_hung()
        for deed in (self._give_back_in_time, self._renew_in_time):
            try:
                deed()
            except Exception:  # what can't be given back keeps nothing from being renewed
                log.exception("leases could not be given back or renewed; trying again")
                connection.close()

    def _give_back_in_time(self) -> None:
        if activity.is_stopping() or self._waits_too_long():
            self._give_back()

    def _renew_in_time(self) -> None:
        if time.monotonic() - self._renewed >= settings.JOB_RENEW_SECONDS:
            self._renew()

    def _waits_too_long(self) -> bool:
        """A slow handler is before them: somebody else may be free."""
        now, running = time.monotonic(), self._running
        if running is not None and now - running.since > PATIENCE_SECONDS:
            return True
        return now - self._started > settings.JOB_LEASE_SECONDS / 3

    def _give_back(self) -> None:
        """What an error leaves is held, and renewed, until the next look."""
        with self._lock:
            waiting, self._waiting = self._waiting, deque()
        if not waiting:
            return
        try:
            while waiting:
                _release(waiting[0])
                waiting.popleft()
        finally:
            with self._lock:
                self._waiting = waiting
        wake()

    def _renew(self) -> None:
        """Not past a handler's limit: one that hangs is to be recovered."""
        began = time.monotonic()
        with self._lock:
            running = self._running
            held = list(self._waiting)
        if running is not None and began < running.until:
            held.append(running.job)
        kept = renew_leases(held)
        self._renewed = began
        self._tell_lost(running, kept)

    def _tell_lost(self, running: Running | None, kept: set[UUID]) -> None:
        if running is not None and running.job.pk not in kept:
            running.lost.set()
        with self._lock:
            self._waiting = deque(job for job in self._waiting if job.pk in kept)

    def _end_hung(self) -> None:
        """The alarm did not reach it, in some library's code: this process can't be saved."""
        running = self._running
        if running is not None and time.monotonic() > running.until + KILL_AFTER_SECONDS:
            log.critical("job %s (%s) hangs: its worker ends", running.job.pk, running.job.kind)
            os.kill(os.getpid(), signal.SIGKILL)


def _release(job: Job) -> None:
    try:
        release_job(job)
    except JobLeaseLost:
        log.info("job %s was taken over before it began here", job.pk)
