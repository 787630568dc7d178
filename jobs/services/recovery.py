"""Leases that ran out: their workers died, froze, or let a handler run for too long."""

import logging

from django.db.models.functions import Now

from jobs.attempts import Start
from jobs.enums import AttemptOutcome
from jobs.errors import JobLeaseLost, WorkerLost
from jobs.fence import change, fenced
from jobs.models import Job
from jobs.models.job import JobQuerySet
from jobs.services.ending import end_attempt, release_job

log = logging.getLogger(__name__)

BATCH = 100


def recover_lost_jobs() -> int:
    """How many were given back, or ended. Any number of workers may do this at the same time."""
    return sum(map(_recover, lost_jobs()[:BATCH]))


def lost_jobs() -> JobQuerySet:
    """NOT NULL in so many words: only then is the partial index used."""
    lost = Job.objects.filter(lease_expires_at__isnull=False, lease_expires_at__lte=Now())
    return lost.select_related("owner").order_by("lease_expires_at")


def _recover(job: Job) -> bool:
    """Whether its lease had run out still when the row was locked: it may have been renewed."""
    try:
        with fenced(job):
            if _is_locked(job):
                return False
            change(job, {"lease_expires_at": job.lease_expires_at}, expired=True)
            _end(job)
    except JobLeaseLost:
        return False
    except Exception:  # one that can't be recovered must not keep all the others
        log.exception("job %s (%s): could not be recovered", job.pk, job.kind)
        return False
    return True


def _is_locked(job: Job) -> bool:
    """At its effects, and slow or frozen: waiting for it, every worker would stand still."""
    return not Job.objects.filter(pk=job.pk).select_for_update(skip_locked=True).exists()


def _end(job: Job) -> None:
    """One that never began is free at once; one that had goes the way of a failure."""
    start = Start.of(job)
    if start is None:
        release_job(job)
        return
    error = WorkerLost()
    log.warning("job %s (%s): its worker %s is lost", job.pk, job.kind, start.worker)
    end_attempt(job, error)
    start.write(AttemptOutcome.LOST, code=error.code, message=error.message)
