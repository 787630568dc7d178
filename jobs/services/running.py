"""How a job that was claimed begins and is completed: each step is one fenced transaction."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import InterfaceError, OperationalError
from pydantic import BaseModel

from config.base import audit
from config.base.errors import GatehouseError
from config.base.faults import fault_point
from config.base.updates import NOW
from jobs.attempts import Start
from jobs.enums import AttemptOutcome, JobStatus
from jobs.errors import OwnerInactive, PermanentFailure, PermissionUndecided
from jobs.fence import UNHELD, begin, change, fenced, store_result
from jobs.handlers import JobCall
from jobs.models import Job
from jobs.registry import AnyHandler
from jobs.services.ending import end_entry
from jobs.services.planning import plan_next_of
from jobs.services.turning_away import turn_away

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Ready:
    """A claimed job that this process knows how to run."""

    job: Job
    handler: AnyHandler
    payload: BaseModel


def start_job(ready: Ready) -> bool:
    """Count the attempt, if it still may run; false: it was turned away.

    Raises `JobLeaseLost`, `PermanentFailure`, and what a hook raises that can't tell yet.
    """
    with fenced(ready.job):
        if turn_away(ready.job):
            return False
        _begin(ready)
    return True


def _begin(ready: Ready) -> None:
    begin(ready.job)
    _require_owner(ready.job)
    _require_permission(ready)
    plan_next_of(ready.job)


def _require_owner(job: Job) -> None:
    """Nothing is done in the name of somebody who may not sign in."""
    if job.owner is not None and not job.owner.is_active:
        raise OwnerInactive


def _require_permission(ready: Ready) -> None:
    """A hook that refuses in other words, or fails, refuses for good.

    What may be asked again costs no attempt: it is put off, for an hour at most.
    """
    try:
        ready.handler.check_permission(ready.job, ready.payload)
    except (PermanentFailure, OperationalError, InterfaceError):  # the database is away: once more
        raise
    except GatehouseError as error:
        if error.retryable:
            raise
        raise PermanentFailure(error.message, code=error.code) from error
    except Exception as error:
        job = ready.job
        log.exception("job %s (%s): whether it may run can't be told", job.pk, job.kind)
        raise PermissionUndecided from error


def complete_job(
    call: JobCall[Any],
    handler: AnyHandler,
    prepared: Any,
    successor: Ready | None = None,
    is_to_begin: Callable[[], bool] = lambda: False,
) -> None:
    """The effects and the end of the job: all of it or nothing. Raises `JobLeaseLost`.

    Its successor begins in the same transaction, which spares a commit, if it may and
    `is_to_begin`, asked when the effects are done, says so.
    """
    job = call.job
    start = Start.of(job)
    told = [start.ended(AttemptOutcome.COMPLETED)] if start else []
    told.append(audit.insertion(end_entry(job, audit.Outcome.SUCCEEDED)))
    with fenced(job, *([successor.job] if successor else [])):
        # First: it locks the row, so what a frozen worker does when it thaws has no effect.
        change(job, {"status": JobStatus.COMPLETED, "finished_at": NOW, **UNHELD}, adding=told)
        result = handler.apply(call, prepared)
        if result is not None:
            store_result(job, result)
        if successor and is_to_begin():
            _begin_along(successor)
        fault_point("job.applied")
    fault_point("job.completed")


def may_be_followed(job: Job) -> bool:
    """What goes wrong with the transaction while a successor begins fails this attempt, too; that
    must not end the job, nor happen to it twice."""
    return job.attempts == 1 < job.max_attempts


def may_follow(job: Job) -> bool:
    """A job of a series locks that, and might be cancelled."""
    return job.series_id is None


def _begin_along(ready: Ready) -> None:
    """What may not begin stays as it was; whoever starts it by itself deals with the reason.

    So it begins last, and there is nothing to undo: a start that was taken back would be seen.
    """
    try:
        _require_permission(ready)
        begin(ready.job, if_owner_is_active=True)
    except GatehouseError as error:
        log.debug("job %s does not begin along with another: %s", ready.job.pk, error.code)
