"""A wake-up: claim what is due and run it, for as long as there is some and no longer than a tick.

Whatever goes wrong in here ends here: the next wake-up finds everything in the table.
"""

import logging
import time

from django.conf import settings
from django.db import connection

from config.base import leases
from config.base.faults import fault_point
from jobs.claiming import MOST, claim_due_jobs
from jobs.models import Job
from jobs.services import plan_missing_jobs, recover_lost_jobs
from jobs.waking import answer_wake, wake
from jobs.worker import activity
from jobs.worker.execution import execute
from jobs.worker.hold import PATIENCE_SECONDS, Hold

log = logging.getLogger(__name__)

PLAN_SECONDS = 60.0
RECOVER_SECONDS = 1.0

_planned_at = -PLAN_SECONDS
_pace = 0.1  # seconds that a job took here lately: how many to claim is judged by it


def tick() -> None:
    """Never raises: django-q2 would store the failure of a mere wake-up."""
    try:
        with activity.at_work(most_seconds=settings.JOB_WAKE_UP_SECONDS):
            _work(until=time.monotonic() + settings.JOB_TICK_SECONDS)
    except Exception:
        log.exception("a wake-up came to nothing; the next one tries again")
        connection.close()  # it may be what is broken


def _work(until: float) -> None:
    answer_wake()
    _plan_series()
    has_called, recovered_at = False, -RECOVER_SECONDS
    while not activity.is_stopping():
        if time.monotonic() - recovered_at >= RECOVER_SECONDS:
            recovered_at = time.monotonic()
            recover_lost_jobs()
        fault_point("job.claiming")
        limit = claim_limit()
        claimed = claim_due_jobs(leases.new_owner(), limit=limit)
        if not claimed:
            return
        fault_point("job.claimed")
        if len(claimed) == limit and not has_called:
            wake()  # there may be more: another worker, if one is free, takes part
            has_called = True
        run_batch(claimed)
        if time.monotonic() > until:
            wake()
            return


def _plan_series() -> None:
    """The net: a series plans its own next job as a rule."""
    global _planned_at
    if time.monotonic() - _planned_at >= PLAN_SECONDS:
        _planned_at = time.monotonic()
        plan_missing_jobs()


def run_batch(jobs: list[Job]) -> None:
    """One after the other, under one hold; what can't begin in time goes back."""
    with Hold(jobs) as hold:
        while (turn := hold.next()) is not None:
            began = time.monotonic()
            execute(turn, hold)
            _learn(time.monotonic() - began)


def claim_limit() -> int:
    """As many as can start here within a third of the lease, and before they are given back."""
    within_seconds = min(settings.JOB_LEASE_SECONDS / 3, PATIENCE_SECONDS)
    return max(1, min(MOST, int(within_seconds / _pace)))


def _learn(seconds: float) -> None:
    """Slower at once, quicker by and by."""
    global _pace
    _pace = max(seconds, 0.7 * _pace + 0.3 * seconds, 0.001)
