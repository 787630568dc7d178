"""Slots that a worker has claimed and that are not to run after all."""

from django.conf import settings
from django.db.models import F
from django.db.models.functions import Now

from config.base import audit
from config.base.actor import Actor, Origin
from config.base.clock import database_now
from config.base.updates import Later
from jobs.enums import CancelReason, JobStatus, MissedPolicy
from jobs.errors import InvalidRecurrence
from jobs.fence import change
from jobs.models import Job, JobSeries
from jobs.recurrence import is_too_late, sum_up
from jobs.services.ending import release_job
from jobs.services.planning import plan_next_of, write_missed


def turn_away(job: Job) -> bool:
    """Within the `fenced` in which it would begin; true: it is cancelled now, and must not.

    Its series was paused or has ended since the claim, or skips what is late. Of what was begun
    before nothing is too late any more. Raises `JobLeaseLost`.
    """
    if job.series_id is None or job.attempts:
        return False
    # The job's row first, then the series': whoever pauses it waits, or has been waited for.
    change(job, {"lease_expires_at": Later(settings.JOB_LEASE_SECONDS)})
    series = JobSeries.objects.select_for_update(of=("self",)).get(pk=job.series_id)
    reason = _reason(series, job)
    if reason:
        _cancel(job, reason)
        if reason == CancelReason.SLOT_MISSED:
            _write_missed(job)
    return bool(reason)


def _reason(series: JobSeries, job: Job) -> str:
    if not series.is_active:
        return CancelReason.SERIES_STOPPED.value
    if series.missed_policy != MissedPolicy.SKIP or job.planned_at is None:
        return ""
    try:
        late = is_too_late(series.cron, series.zone, job.planned_at, database_now())
    except InvalidRecurrence:
        return ""  # its zone is gone, say: what was planned before still runs
    return CancelReason.SLOT_MISSED.value if late else ""


def _cancel(job: Job, reason: str) -> None:
    """It goes back, and is cancelled as what waits: both steps or none."""
    release_job(job, last_error_code=reason)
    Job.objects.filter(pk=job.pk, revision=job.revision).update(
        status=JobStatus.CANCELLED,
        next_attempt_at=None,
        finished_at=Now(),
        revision=F("revision") + 1,
    )
    audit.record(
        "job.cancelled",
        audit.Outcome.CANCELLED,
        actor=Actor(job.owner, Origin.JOB) if job.owner else None,
        target=("job", job.pk),
        reason_code=reason,
        metadata={"kind": job.kind},
    )


def _write_missed(job: Job) -> None:
    """With those after it, or alone where they are accounted for already."""
    alone = sum_up([job.planned_at]) if job.planned_at else None
    if not plan_next_of(job, missed=True) and alone and job.series_id:
        write_missed(job.series_id, alone)
