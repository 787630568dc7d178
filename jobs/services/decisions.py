"""What people decide about a job: cancel it, try it again, run it now; let a kind rest."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now

from config.base import audit
from config.base.actor import Actor
from config.base.errors import NotPermitted
from jobs.enums import JobStatus
from jobs.errors import JobFinished, JobNotFailed, JobRunning
from jobs.fence import require_transition
from jobs.models import Job, PausedKind
from jobs.models.job import JobQuerySet
from jobs.registry import audit_facts, get_handler
from jobs.selectors import get_job, is_operator
from jobs.services.planning import plan_next_of
from jobs.waking import wake_after_commit


@transaction.atomic
def cancel_job(actor: Actor, job_id: UUID) -> Job:
    """Until it runs. Raises `NotFound`, `JobRunning`, `JobFinished`."""
    job = _lock(actor, job_id, _require_waiting)
    _save(job, status=JobStatus.CANCELLED, next_attempt_at=None, finished_at=Now())
    plan_next_of(job)
    _record("job.cancelled", audit.Outcome.CANCELLED, actor, job)
    return job


@transaction.atomic
def retry_job(actor: Actor, job_id: UUID) -> Job:
    """As many attempts more as its kind has. Raises `NotFound`, `JobNotFailed`, `UnknownKind`."""
    job = _lock(actor, job_id, _require_failed)
    _save(
        job,
        status=JobStatus.RETRYING,
        next_attempt_at=Now(),
        finished_at=None,
        started_at=None,
        unknown_since=None,
        max_attempts=job.attempts + get_handler(job.kind).max_attempts,
    )
    _record("job.retried", audit.Outcome.SUCCEEDED, actor, job)
    wake_after_commit()
    return job


@transaction.atomic
def run_job_now(actor: Actor, job_id: UUID) -> Job:
    """A job that waits is due at once. Raises `NotFound`, `JobRunning`, `JobFinished`."""
    job = _lock(actor, job_id, _require_waiting)
    _save(job, next_attempt_at=Now())
    _record("job.hurried", audit.Outcome.SUCCEEDED, actor, job)
    wake_after_commit()
    return job


@transaction.atomic
def pause_kind(actor: Actor, kind: str) -> None:
    """Its jobs wait from now on; those that run go on. Twice is once.

    Raises `NotPermitted`, `UnknownKind`.
    """
    _require_operator(actor)
    get_handler(kind)
    _, is_new = PausedKind.objects.get_or_create(kind=kind, defaults={"paused_by": actor.user})
    if is_new:
        _record_kind("job_kind.paused", actor, kind)


@transaction.atomic
def resume_kind(actor: Actor, kind: str) -> None:
    """Also of a kind that is gone: a pause can't outlive it unseen. Raises `NotPermitted`."""
    _require_operator(actor)
    deleted, _ = PausedKind.objects.filter(kind=kind).delete()
    if deleted:
        _record_kind("job_kind.resumed", actor, kind)
        wake_after_commit()


def _require_operator(actor: Actor) -> None:
    if not is_operator(actor.user, "change"):
        raise NotPermitted


def _lock(actor: Actor, job_id: UUID, require: Callable[[Job], None]) -> Job:
    """Raises `NotFound`; `NotPermitted` for operators who may look and not touch.

    Looks before it locks: a job that is at its effects holds its row for as long as they take.
    """
    mine = Job.objects.changeable_by(actor.user).select_related("owner").filter(pk=job_id)
    require(_found(mine, actor, job_id))
    job = _found(mine.select_for_update(of=("self",)), actor, job_id)
    require(job)
    return job


def _found(jobs: JobQuerySet, actor: Actor, job_id: UUID) -> Job:
    job = jobs.first()
    if job is None:
        get_job(actor.user, job_id)
        raise NotPermitted
    return job


def _require_waiting(job: Job) -> None:
    if job.status == JobStatus.RUNNING:
        raise JobRunning
    if job.is_finished:
        raise JobFinished


def _require_failed(job: Job) -> None:
    if job.status != JobStatus.FAILED:
        raise JobNotFailed


def _save(job: Job, **changes: Any) -> None:
    """Its row is locked; the revision rises, so whoever knew it before finds it changed."""
    if "status" in changes:
        require_transition(job.status, changes["status"])
    for name, value in changes.items():
        setattr(job, name, value)
    job.revision += 1
    job.save(update_fields=[*changes, "revision"])


def _record(action: str, outcome: audit.Outcome, actor: Actor, job: Job) -> None:
    target = ("job", job.pk)
    facts = audit_facts(job)
    audit.record(action, outcome, actor=actor, target=target, metadata={"kind": job.kind}, **facts)


def _record_kind(action: str, actor: Actor, kind: str) -> None:
    audit.record(action, audit.Outcome.SUCCEEDED, actor=actor, target=("job_kind", kind))
