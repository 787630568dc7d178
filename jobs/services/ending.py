"""How a hold ends without a result: the job waits again, or it has failed."""

import logging
import random
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from config.base import audit
from config.base.actor import Actor, Origin
from config.base.clock import database_now
from config.base.errors import GatehouseError
from config.base.updates import NOW, Later
from jobs.attempts import Start, bounded_text
from jobs.enums import AttemptOutcome, JobStatus
from jobs.errors import OwnerInactive, PermanentFailure
from jobs.fence import UNHELD, change, fenced
from jobs.models import Job, JobSeries
from jobs.registry import audit_facts, find_handler
from jobs.retry import GiveUp, RetryIn, decide_retry
from jobs.services.planning import plan_next_of

log = logging.getLogger(__name__)

AGAIN_SECONDS = 60.0
LONGEST_SECONDS = 3600.0


def fail_attempt(job: Job, error: GatehouseError) -> None:
    """It came to nothing: try again later, or end the job. Raises `JobLeaseLost`."""
    start = Start.of(job)
    with fenced(job):
        if start:
            end_attempt(job, error)
            start.write(AttemptOutcome.FAILED, code=error.code, message=error.message)
        else:
            put_off(job, error, _told(error))


def put_off(job: Job, error: GatehouseError, facts: dict[str, Any]) -> None:
    """What could not begin: again in a minute at most, for an hour; then `error` ends it.

    It costs no attempt, so nothing else would bound it. Within `fenced`; raises `JobLeaseLost`.
    """
    if isinstance(error, PermanentFailure) or _is_put_off_for_too_long(job):
        _tell_handler(job, error)
        _fail(job, error)
        return
    since = {} if job.unknown_since else {"unknown_since": NOW}
    _put_back(job, min(AGAIN_SECONDS, settings.JOB_RETRY_SECONDS), {**since, **facts})


def release_job(job: Job, *, seconds: float = 0, **changes: Any) -> None:
    """Give back what was claimed and has not begun: it costs no attempt. Raises `JobLeaseLost`."""
    with fenced(job):
        _put_back(job, seconds, changes)


def end_attempt(job: Job, error: GatehouseError) -> None:
    """Within `fenced`; raises `JobLeaseLost`."""
    _tell_handler(job, error)
    decision = _decide(job, error)
    if isinstance(decision, RetryIn):
        _put_back(job, decision.seconds, _told(error))
    else:
        _fail(job, error)


def end_entry(job: Job, outcome: audit.Outcome, reason_code: str = "") -> audit.AuditEntry:
    return audit.entry(
        "job.executed",
        outcome,
        actor=Actor(job.owner, Origin.JOB) if job.owner else None,
        target=("job", job.pk),
        reason_code=reason_code,
        metadata={"kind": job.kind, "attempts": job.attempts},
        **audit_facts(job),
    )


def _tell_handler(job: Job, error: GatehouseError) -> None:
    """Before the job is let go: it still says when it began."""
    handler = find_handler(job.kind)
    if handler is None:
        return
    try:
        with transaction.atomic():
            handler.attempt_failed(job, error)
    except Exception:
        log.exception("job %s (%s): its handler could not be told", job.pk, job.kind)


def _decide(job: Job, error: GatehouseError) -> RetryIn | GiveUp:
    return decide_retry(
        job.attempts,
        job.max_attempts,
        base_seconds=settings.JOB_RETRY_SECONDS,
        jitter=random.random(),  # noqa: S311 (spreads load, protects nothing)
        permanent=isinstance(error, PermanentFailure),
    )


def _is_put_off_for_too_long(job: Job) -> bool:
    since = job.unknown_since
    return since is not None and (database_now() - since).total_seconds() > LONGEST_SECONDS


def _fail(job: Job, error: GatehouseError) -> None:
    change(job, {"status": JobStatus.FAILED, "finished_at": NOW, **UNHELD, **_told(error)})
    if isinstance(error, OwnerInactive):
        _rest_series_of(job)
    plan_next_of(job)
    audit.record_all([end_entry(job, audit.Outcome.FAILED, error.code)])


def _rest_series_of(job: Job) -> None:
    """Or it would fail at each of its times for as long as its owner may not sign in."""
    if job.series_id is None:
        return
    series = JobSeries.objects.active().filter(pk=job.series_id)
    if series.update(paused_at=Now()):
        audit.record(
            "job_series.paused",
            audit.Outcome.SUCCEEDED,
            actor=None,
            target=("job_series", job.series_id),
            reason_code=OwnerInactive.code,
        )


def _put_back(job: Job, seconds: float, changes: dict[str, Any]) -> None:
    again = {
        "status": JobStatus.RETRYING,
        "next_attempt_at": Later(seconds) if seconds else NOW,
        "started_at": None,
    }
    change(job, {**again, **UNHELD, **changes})


def _told(error: GatehouseError) -> dict[str, str]:
    return {"last_error_code": error.code, "last_error_message": bounded_text(error.message)}
