"""What a worker does with a job that it has claimed: each step is one fenced transaction."""

import logging
import random
from typing import Any

from django.conf import settings
from django.db import OperationalError
from django.utils.translation import gettext as _
from pydantic import BaseModel

from config.base import audit
from config.base.actor import Actor, Origin
from config.base.errors import GatehouseError
from config.base.models import User
from jobs.attempts import Start, told
from jobs.enums import AttemptOutcome, JobStatus
from jobs.errors import HandlerFailed, PermanentFailure
from jobs.fence import NOW, UNHELD, Later, change, fenced, store_result
from jobs.handlers import JobCall
from jobs.models import Job
from jobs.registry import AnyHandler
from jobs.retry import GiveUp, RetryIn, decide_retry
from jobs.services.planning import plan_next_of

log = logging.getLogger(__name__)


def start_job(job: Job, handler: AnyHandler, payload: BaseModel) -> None:
    """Count the attempt, if it still may run. Raises `LeaseLost`, `PermanentFailure`."""
    with fenced(job):
        change(job, {"started_at": NOW, "unknown_since": None}, counted=True)
        _require_owner(job)
        _require_permission(job, handler, payload)
        plan_next_of(job)


def _require_owner(job: Job) -> None:
    """Nothing is done in the name of somebody who may not sign in.

    Read anew: the jobs of a batch would share what was true, and looked up, when it was claimed.
    """
    if job.owner_id is None:
        return
    job.owner = User.objects.get(pk=job.owner_id)
    if not job.owner.is_active:
        raise PermanentFailure(_("Its owner may not sign in."), code="job_owner_inactive")


def _require_permission(job: Job, handler: AnyHandler, payload: BaseModel) -> None:
    """A hook that refuses in other words, or can't decide, refuses for good.

    Its failures cost no attempt, so trying them again would never end.
    """
    try:
        handler.check_permission(job, payload)
    except (PermanentFailure, OperationalError):  # the database is away: it is asked again
        raise
    except GatehouseError as error:
        if error.retryable:
            raise
        raise PermanentFailure(error.message, code=error.code) from error
    except Exception as error:
        log.exception("job %s (%s): whether it may run can't be told", job.pk, job.kind)
        raise PermanentFailure(code=HandlerFailed.code) from error


def complete_job(call: JobCall[Any], handler: AnyHandler, prepared: Any) -> None:
    """The effects and the end of the job: all of it or nothing. Raises `LeaseLost`."""
    job = call.job
    start = Start.of(job)
    with fenced(job):
        # First: it locks the row, so what a frozen worker does when it thaws has no effect.
        change(job, {"status": JobStatus.COMPLETED, "finished_at": NOW, **UNHELD})
        result = handler.apply(call, prepared)
        if result is not None:
            store_result(job, result)
        if start:
            start.write(AttemptOutcome.COMPLETED)
        record_end(job, audit.Outcome.SUCCEEDED)


def fail_attempt(job: Job, error: GatehouseError) -> None:
    """It came to nothing: try again later, or end the job. Raises `LeaseLost`."""
    start = Start.of(job)
    with fenced(job):
        end_attempt(job, error)
        if start:
            start.write(AttemptOutcome.FAILED, code=error.code, message=error.message)


def release_job(job: Job, *, seconds: float = 0, **changes: Any) -> None:
    """Give back what was claimed and has not begun: it costs no attempt. Raises `LeaseLost`."""
    with fenced(job):
        _put_back(job, seconds, changes)


def _decide(job: Job, error: GatehouseError) -> RetryIn | GiveUp:
    return decide_retry(
        job.attempts,
        job.max_attempts,
        base_seconds=settings.JOB_RETRY_SECONDS,
        jitter=random.random(),  # noqa: S311 (spreads load, protects nothing)
        permanent=isinstance(error, PermanentFailure),
    )


def end_attempt(job: Job, error: GatehouseError) -> None:
    """Within `fenced`; raises `LeaseLost`."""
    decision = _decide(job, error)
    facts = {"last_error_code": error.code, "last_error_message": told(error.message)}
    if isinstance(decision, RetryIn):
        _put_back(job, decision.seconds, facts)
    else:
        change(job, {"status": JobStatus.FAILED, "finished_at": NOW, **UNHELD, **facts})
        plan_next_of(job)
        record_end(job, audit.Outcome.FAILED, error.code)


def _put_back(job: Job, seconds: float, changes: dict[str, Any]) -> None:
    again = {
        "status": JobStatus.RETRYING,
        "next_attempt_at": Later(seconds) if seconds else NOW,
        "started_at": None,
    }
    change(job, {**again, **UNHELD, **changes})


def record_end(job: Job, outcome: audit.Outcome, reason_code: str = "") -> None:
    actor = Actor(job.owner, Origin.JOB) if job.owner else None
    facts = {"kind": job.kind, "attempts": job.attempts}
    audit.record(
        "job.executed",
        outcome,
        actor=actor,
        target=("job", job.pk),
        reason_code=reason_code,
        metadata=facts,
    )
