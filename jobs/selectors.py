"""Reads that more than one caller needs."""

from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from uuid import UUID

from django.db.models import Q

from config.base.clock import database_now
from config.base.errors import NotFound
from config.base.models import User
from jobs.enums import FINISHED, WAITING, AttemptOutcome, CreateBy, JobStatus
from jobs.errors import InvalidRecurrence
from jobs.models import Job, JobAttempt, JobSeries, MissedSlots, PausedKind
from jobs.models.job import JobQuerySet
from jobs.models.series import JobSeriesQuerySet
from jobs.reasons import explain
from jobs.recurrence import Slot, iter_slots
from jobs.registry import AnyHandler

SHOWN_MISSED = 20
SHOWN_SLOTS = 5


@dataclass(frozen=True, slots=True)
class AttemptSeen:
    """One that has ended, or the one under way: that one has no row yet."""

    number: int
    outcome: AttemptOutcome | None  # None: it is under way, and what comes after is empty
    started_at: datetime
    worker: str
    finished_at: datetime | None = None
    error_code: str = ""
    error_message: str = ""


def list_jobs(user: User) -> JobQuerySet:
    """Owners apart: joined, SQLite may sort all jobs for a page (100 times slower with 400,000)."""
    return Job.objects.for_user(user).prefetch_related("owner")


def get_job(user: User, job_id: UUID | str) -> Job:
    """Raises `NotFound`: also for what is somebody else's."""
    job = list_jobs(user).select_related("series").filter(pk=job_id).first()
    if job is None:
        raise NotFound
    return job


def with_status(status: JobStatus) -> Q:
    """With the column in so many words that is null in any other status: it has an index."""
    if status in WAITING:
        return Q(status=status, next_attempt_at__isnull=False)
    if status in FINISHED:
        return Q(status=status, finished_at__isnull=False)
    return Q(status=status, lease_expires_at__isnull=False)


def list_attempts(job: Job) -> list[AttemptSeen]:
    """The first one first, the one under way included."""
    ended = [_ended(attempt) for attempt in job.attempt_rows.order_by("number")]
    if job.status != JobStatus.RUNNING or job.started_at is None:
        return ended
    return [*ended, AttemptSeen(job.attempts, None, job.started_at, job.lease_owner)]


def _ended(attempt: JobAttempt) -> AttemptSeen:
    return AttemptSeen(
        attempt.number,
        AttemptOutcome(attempt.outcome),
        attempt.started_at,
        attempt.worker,
        attempt.finished_at,
        attempt.error_code,
        explain(attempt.error_code, attempt.error_message),
    )


def list_series(user: User) -> JobSeriesQuerySet:
    return JobSeries.objects.for_user(user).select_related("owner")


def get_series(user: User, series_id: UUID | str) -> JobSeries:
    """Raises `NotFound`: also for what is somebody else's."""
    series = list_series(user).filter(pk=series_id).first()
    if series is None:
        raise NotFound
    return series


def list_missed(series: JobSeries) -> list[MissedSlots]:
    """The latest outages first."""
    return list(series.missed.order_by("-first_planned_at")[:SHOWN_MISSED])


def list_next_slots(series: JobSeries) -> list[Slot]:
    """From now on, by the database's clock; none of one that rests, or whose zone is gone."""
    if not series.is_active:
        return []
    try:
        return list(islice(iter_slots(series.cron, series.zone, database_now()), SHOWN_SLOTS))
    except InvalidRecurrence:
        return []


def may_create(user: User, handler: AnyHandler) -> bool:
    """Whether this person may create jobs of this kind themselves."""
    if handler.create_by is CreateBy.OWNERS:
        return True
    return handler.create_by is CreateBy.OPERATORS and is_operator(user, "add")


def is_operator(user: User, act: str = "view") -> bool:
    """Staff who may `view`, `add` or `change` everybody's jobs."""
    return user.is_staff and user.has_perm(f"jobs.{act}_job")


def paused_kinds() -> dict[str, tuple[datetime, str]]:
    """Kind to when it was paused and by whom: a name, or nothing for somebody who is gone."""
    rows = PausedKind.objects.values_list("kind", "paused_at", "paused_by__username")
    return {kind: (paused_at, name or "") for kind, paused_at, name in rows}


def shows_content(user: User, row: Job | JobSeries) -> bool:
    """Payload and result are its owner's alone; the product's own are for whoever sees the job.

    The console shows an operator somebody else's too, and records that they looked.
    """
    return row.owner_id in (None, user.pk)
