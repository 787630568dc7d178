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
from jobs.errors import (
    HandlerFailed,
    HandlerTimedOut,
    HandlerVersionGone,
    JobLeaseLost,
    JobTimedOut,
    PayloadOutdated,
)
from jobs.handlers import JobCall
from jobs.models import Job
from jobs.registry import AnyHandler, find_handler
from jobs.services import complete_job, fail_attempt, put_back_unknown, start_job
from jobs.worker.hold import Hold
from jobs.worker.limits import time_limit

log = logging.getLogger(__name__)


def execute(job: Job, hold: Hold) -> None:
    """Never raises but for what ends the process."""
    try:
        handler = find_handler(job.kind)
        if handler is None or job.handler_version > handler.version:
            put_back_unknown(job)
        else:
            _run(job, handler, hold)
    except JobLeaseLost:
        log.warning("job %s (%s): somebody else has it, nothing was written", job.pk, job.kind)
    except Exception:
        log.exception("job %s (%s): its end could not be written", job.pk, job.kind)
        connection.close()  # its lease runs out, then it is recovered


def _run(job: Job, handler: AnyHandler, hold: Hold) -> None:
    lost = hold.begin(job, handler.hard_limit_seconds)
    try:
        with time_limit(handler.hard_limit_seconds):
            _run_within_limit(job, handler, lost)
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


def _run_within_limit(job: Job, handler: AnyHandler, lost: Event) -> None:
    payload = read_payload(job, handler)
    if not start_job(job, handler, payload):
        return
    call = JobCall(job, payload, lost)
    with _no_transaction_left_open():
        prepared = handler.prepare(call)
    complete_job(call, handler, prepared)


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
