"""Running one claimed job: whatever its handler does, it ends as completed, to be tried again,
failed or given back, and a hold that was lost writes nothing.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.utils.translation import gettext as _
from pydantic import BaseModel, ValidationError

from config.base.errors import GatehouseError
from config.base.faults import fault_point
from jobs.errors import (
    HandlerFailed,
    HandlerTimedOut,
    HandlerVersionGone,
    JobLeaseLost,
    JobTimedOut,
    PayloadOutdated,
    PermanentFailure,
)
from jobs.handlers import JobCall
from jobs.models import Job
from jobs.registry import AnyHandler, find_handler
from jobs.services import (
    Ready,
    complete_job,
    fail_attempt,
    may_be_followed,
    may_follow,
    put_back_unknown,
    start_job,
)
from jobs.worker.hold import Hold
from jobs.worker.limits import time_limit

log = logging.getLogger(__name__)


def execute(turn: Job | Ready, hold: Hold) -> None:
    """A claimed job, or one that has begun. Never raises but for what ends the process."""
    job = turn.job if isinstance(turn, Ready) else turn
    try:
        handler = _find_known(job)
        if handler is None:
            put_back_unknown(job)
        else:
            _run(turn, job, handler, hold)
    except JobLeaseLost:
        log.warning("job %s (%s): somebody else has it, nothing was written", job.pk, job.kind)
    except Exception:
        log.exception("job %s (%s): its end could not be written", job.pk, job.kind)
        connection.close()  # its lease runs out, then it is recovered


def _find_known(job: Job) -> AnyHandler | None:
    handler = find_handler(job.kind)
    return None if handler is None or job.handler_version > handler.version else handler


def _run(turn: Job | Ready, job: Job, handler: AnyHandler, hold: Hold) -> None:
    lost = hold.begin(job, handler.hard_limit_seconds)
    try:
        with time_limit(handler.hard_limit_seconds):
            ready = turn if isinstance(turn, Ready) else _start(job, handler)
            if ready is not None:
                _run_started(ready, lost, hold)
    except JobLeaseLost:
        raise
    except GatehouseError as error:
        fail_attempt(job, error)
    except JobTimedOut:
        connection.close()  # the alarm may have come in the middle of a query
        fail_attempt(job, HandlerTimedOut())
    except Exception as error:
        log.exception("job %s (%s) failed", job.pk, job.kind)
        if not connection.in_atomic_block:  # as it is within a test's transaction
            connection.close_if_unusable_or_obsolete()  # it may have been cut: there are others
        fail_attempt(job, HandlerFailed(describe(error)))
    finally:
        hold.end()


def _start(job: Job, handler: AnyHandler) -> Ready | None:
    """None: it was turned away."""
    ready = Ready(job, handler, read_payload(job, handler))
    return ready if start_job(ready) else None


def _run_started(ready: Ready, lost: Event, hold: Hold) -> None:
    fault_point("job.started")
    call = JobCall(ready.job, ready.payload, lost)
    with _no_transaction_left_open():
        prepared = ready.handler.prepare(call)
    successor = _find_successor(ready.job, hold)
    if successor is None:
        complete_job(call, ready.handler, prepared)
        return
    with hold.succession(successor):
        complete_job(call, ready.handler, prepared, successor, lambda: hold.take(successor.job))


def _find_successor(job: Job, hold: Hold) -> Ready | None:
    """The next job, if all that is known before allows it to begin with the end of this one."""
    following = hold.peek()
    if following is None or not may_be_followed(job) or not may_follow(following):
        return None
    handler = _find_known(following)
    if handler is None:
        return None
    try:
        return Ready(following, handler, read_payload(following, handler))
    except PermanentFailure:
        return None  # it fails by itself, when it is its turn


@contextmanager
def _no_transaction_left_open() -> Iterator[None]:
    """What a handler forgot to end would hold locks, on SQLite those of the whole product, and
    nothing of the job would be committed."""
    before = _depth()
    try:
        yield
    finally:
        is_open = _depth() != before
        if is_open:
            connection.close()
            del connections[DEFAULT_DB_ALIAS]  # what it believes of transactions is wrong
    if is_open:
        raise HandlerFailed(_("The handler left a transaction open."))


def _depth() -> tuple[bool, int]:
    return connection.in_atomic_block, len(connection.savepoint_ids)


def read_payload(job: Job, handler: AnyHandler) -> BaseModel:
    """Raises `PermanentFailure` for what no version of this handler can run any more."""
    if job.handler_version < handler.oldest_version:
        raise HandlerVersionGone
    try:
        return handler.payload_model.model_validate(job.payload)
    except ValidationError as error:
        raise PayloadOutdated from error


def describe(error: Exception) -> str:
    """For operators: which error it was. Its text may hold content, and goes to the log only."""
    return type(error).__name__
