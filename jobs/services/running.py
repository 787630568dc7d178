"""How a job that was claimed begins and is completed: each step is one fenced transaction."""

import logging
from typing import Any

from django.db import InterfaceError, OperationalError
from pydantic import BaseModel

from config.base import audit
from config.base.errors import GatehouseError
from jobs.attempts import Start
from jobs.enums import AttemptOutcome, JobStatus
from jobs.errors import OwnerInactive, PermanentFailure, PermissionUndecided
from jobs.fence import NOW, UNHELD, begin, change, fenced, store_result
from jobs.handlers import JobCall
from jobs.models import Job
from jobs.registry import AnyHandler
from jobs.services.ending import end_entry
from jobs.services.planning import plan_next_of
from jobs.services.turning_away import turn_away

log = logging.getLogger(__name__)


def start_job(job: Job, handler: AnyHandler, payload: BaseModel) -> bool:
    """Count the attempt, if it still may run; false: it was turned away.

    Raises `JobLeaseLost`, `PermanentFailure`, and what a hook raises that can't tell yet.
    """
    with fenced(job):
        if turn_away(job):
            return False
        begin(job)
        _require_owner(job)
        _require_permission(job, handler, payload)
        plan_next_of(job)
    return True


def _require_owner(job: Job) -> None:
    """Nothing is done in the name of somebody who may not sign in."""
    if job.owner is not None and not job.owner.is_active:
        raise OwnerInactive


def _require_permission(job: Job, handler: AnyHandler, payload: BaseModel) -> None:
    """A hook that refuses in other words, or fails, refuses for good.

    What may be asked again costs no attempt: it is put off, for an hour at most.
    """
    try:
        handler.check_permission(job, payload)
    except (PermanentFailure, OperationalError, InterfaceError):  # the database is away: once more
        raise
    except GatehouseError as error:
        if error.retryable:
            raise
        raise PermanentFailure(error.message, code=error.code) from error
    except Exception as error:
        log.exception("job %s (%s): whether it may run can't be told", job.pk, job.kind)
        raise PermissionUndecided from error


def complete_job(call: JobCall[Any], handler: AnyHandler, prepared: Any) -> None:
    """The effects and the end of the job: all of it or nothing. Raises `JobLeaseLost`."""
    job = call.job
    start = Start.of(job)
    told = [start.ended(AttemptOutcome.COMPLETED)] if start else []
    told.append(audit.insertion(end_entry(job, audit.Outcome.SUCCEEDED)))
    with fenced(job):
        # First: it locks the row, so what a frozen worker does when it thaws has no effect.
        change(job, {"status": JobStatus.COMPLETED, "finished_at": NOW, **UNHELD}, adding=told)
        result = handler.apply(call, prepared)
        if result is not None:
            store_result(job, result)
