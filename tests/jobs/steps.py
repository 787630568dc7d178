"""The steps of a worker, one by one, and what the tables say afterwards."""

from collections.abc import Mapping
from datetime import timedelta

from django.db.models.functions import Now

from config.base import leases
from config.base.actor import Actor, Origin
from config.base.models import User
from jobs.claiming import claim_due_jobs
from jobs.handlers import JobCall
from jobs.models import Job, JobAttempt
from jobs.services import Ready, complete_job, start_job
from jobs.testing import NoHold
from jobs.worker.execution import execute
from skills.models import AuditEvent
from tests.jobs.handlers import Note, Probe

PROBE = Probe()


def actor_of(user: User) -> Actor:
    return Actor(user, Origin.API)


def claim_one(owner: str = "") -> Job:
    (job,) = claim_due_jobs(owner or leases.new_owner(), limit=1)
    return job


def start(job: Job) -> None:
    start_job(Ready(job, PROBE, Note()))


def claim_and_start(owner: str = "") -> Job:
    job = claim_one(owner)
    start(job)
    return job


def complete(job: Job) -> None:
    complete_job(JobCall(job, Note()), PROBE, None)


def run(job: Job) -> Job:
    """A claimed job, from its start to its end; as it is stored then."""
    execute(job, NoHold())
    return stored(job)


def stored(job: Job) -> Job:
    return Job.objects.get(pk=job.pk)


def expire(job: Job) -> None:
    """Its lease ran out a second ago."""
    passed = Now() - timedelta(seconds=1)
    Job.objects.filter(pk=job.pk, lease_expires_at__isnull=False).update(lease_expires_at=passed)


def row_of(job: Job) -> Mapping[str, object]:
    """Every column: two of them are equal if nothing at all was written between."""
    return Job.objects.filter(pk=job.pk).values().get()


def attempts_of(job: Job) -> list[tuple[int, str, str]]:
    rows = JobAttempt.objects.filter(job=job).order_by("number")
    return [(row.number, row.outcome, row.error_code) for row in rows]


def events_of(job: Job) -> list[str]:
    """What the audit says about it, in order."""
    events = AuditEvent.objects.filter(target_type="job", target_id=str(job.pk))
    return list(events.order_by("id").values_list("action", flat=True))
