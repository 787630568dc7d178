"""Whether the queue moves: for /readyz, /metrics and the console."""

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Q, Sum
from django.db.models.functions import Now

from config.base.uptime import uptime_seconds
from jobs.backlog import queue_age_seconds
from jobs.models import Job, WorkerBeat
from jobs.models.job import JobQuerySet

ALIVE = timedelta(seconds=20)  # a set of workers says every few seconds that it lives
STALLED_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Queue:
    age_seconds: float | None  # of the oldest due job; None: nothing is due
    is_worked_on: bool  # some job is held under a lease that has not run out
    workers: int  # sets of processes that live
    slots: int  # jobs that these can run at the same time

    @property
    def is_stalled(self) -> bool:
        waits = self.age_seconds is not None and self.age_seconds > STALLED_SECONDS
        return waits and not (self.is_worked_on and self.workers)

    def describe(self) -> str:
        workers = f"{self.workers or 'no'} {'worker' if self.workers == 1 else 'workers'}"
        if self.age_seconds is None:
            return f"{workers}, nothing due"
        return f"{workers}, the oldest due job waits for {self.age_seconds:.0f} s"


def get_queue() -> Queue:
    """By the database's clock; each query looks at the end of an index, or at a few rows."""
    beats = WorkerBeat.objects.filter(is_alive()).aggregate(n=Count("pk"), slots=Sum("slots"))
    return Queue(queue_age_seconds(), live_leases().exists(), beats["n"], beats["slots"] or 0)


def is_alive() -> Q:
    return Q(seen_at__gt=Now() - ALIVE)


def live_leases() -> JobQuerySet:
    return Job.objects.filter(lease_expires_at__isnull=False, lease_expires_at__gt=Now())


def check_queue() -> str:
    """One of settings.READINESS_CHECKS. A process that has just begun waits for the workers too."""
    queue = get_queue()
    if queue.is_stalled and uptime_seconds() > STALLED_SECONDS:
        return f"stalled ({queue.describe()}, and none runs)"
    return f"ok ({queue.describe()})"
