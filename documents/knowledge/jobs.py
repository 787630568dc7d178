"""The job that reads a file. What a file does wrong ends its own job, with the reason."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils.translation import gettext_lazy as _
from pydantic import JsonValue

from config.base.errors import GatehouseError
from documents.enums import ReadFailure
from documents.knowledge.extraction.reading import Outcome
from documents.knowledge.files import store
from documents.knowledge.forgetting import FORGET_KIND, forget
from documents.knowledge.services import (
    begin_reading,
    fail_reading,
    finish_reading,
    write_passages,
)
from documents.knowledge.services.resources import READ_KIND, purge_stray_files
from documents.models import Resource
from jobs.errors import HandlerTimedOut, PermanentFailure
from jobs.handlers import Handler, JobCall, Payload, Recurrence
from jobs.housekeeping import Housekeeping
from jobs.models import Job
from jobs.registry import register
from tools.bounded.failures import LIMIT, Refused
from tools.bounded.parent import Limits, run_bounded

_PLACE = "documents.knowledge.extraction.reading:read_file"
_ESCAPED_CHARS = 12  # of one character in the child's JSON, at worst
_FACTS_CHARS = 5_000_000  # beside the text: pages, headings, places


class Unreadable(PermanentFailure):
    """The file's own fault, or that of its size: trying again can't help."""

    def __init__(self, failure: ReadFailure) -> None:
        self.failure = failure
        super().__init__(str(failure.label), code=failure.value)


class ReadPayload(Payload):
    resource_id: UUID
    reading: int


@register
class ReadResource(Handler[ReadPayload]):
    kind = READ_KIND
    description = _("Reads the text of a file that somebody uploaded, so that it can be found.")
    payload_model = ReadPayload
    hard_limit_seconds = 600.0

    def prepare(self, call: JobCall[ReadPayload]) -> Outcome | None:
        resource = begin_reading(call.payload.resource_id, call.payload.reading)
        if resource is None:
            return None
        outcome = read_resource(resource)
        rest_between(write_passages(resource, outcome["passages"]), call)
        return outcome

    def apply(self, call: JobCall[ReadPayload], prepared: Outcome | None) -> JsonValue:
        if prepared is None:
            return {"passages": 0}
        finish_reading(call.payload.resource_id, call.payload.reading, prepared)
        return {"passages": len(prepared["passages"])}

    def attempt_failed(self, job: Job, error: GatehouseError) -> None:
        payload = ReadPayload.model_validate(job.payload)
        failure = _failure_of(job, error)
        if failure:
            fail_reading(payload.resource_id, payload.reading, failure)


class ForgetPayload(Payload):
    resource_id: UUID | None = None
    space_id: UUID | None = None


@register
class ForgetPassages(Handler[ForgetPayload]):
    kind = FORGET_KIND
    description = _("Takes what was read in deleted files out of the index.")
    payload_model = ForgetPayload
    hard_limit_seconds = 600.0

    def prepare(self, call: JobCall[ForgetPayload]) -> None:
        rest_between(forget(call.payload.resource_id, call.payload.space_id), call)


def rest_between(steps: Iterator[None], call: JobCall[Any]) -> None:
    """As long as each step took: on SQLite others write meanwhile. Raises `JobLeaseLost`."""
    began = time.monotonic()
    for _step in steps:
        call.check()
        call.lost.wait(time.monotonic() - began)
        began = time.monotonic()


@register
class StrayFiles(Housekeeping):
    kind = "housekeeping.knowledge_files"
    description = _("Removes files of the knowledge store that belong to nothing.")
    recurrence = Recurrence("52 4 * * *")
    purges = {"files": purge_stray_files}


def read_resource(resource: Resource) -> Outcome:
    """In a process of its own, within its limits. Raises `Unreadable`."""
    path = store.path_of(resource.stored_name)
    if not path.is_file():
        raise Unreadable(ReadFailure.GONE)
    try:
        return _read(path, resource.media_type)
    except Refused as refused:
        raise Unreadable(_reason_of(refused)) from refused


def _read(path: Path, media_type: str) -> Outcome:
    most = settings.KNOWLEDGE_TEXT_CHARS
    limits = Limits(
        seconds=settings.KNOWLEDGE_READ_SECONDS,
        memory_mb=settings.KNOWLEDGE_READ_MB,
        output_chars=_ESCAPED_CHARS * most + _FACTS_CHARS,
    )
    told = {
        "path": str(path),
        "media_type": media_type,
        "characters": most,
        "pages": settings.KNOWLEDGE_PAGES,
    }
    outcome: Outcome = run_bounded(_PLACE, told, limits)
    return outcome


def _reason_of(refused: Refused) -> ReadFailure:
    if refused.code == LIMIT:
        by_limit = {"time": ReadFailure.TIMEOUT, "output": ReadFailure.TOO_LONG}
        return by_limit.get(refused.detail, ReadFailure.TOO_LARGE)
    return ReadFailure(refused.code)


def _failure_of(job: Job, error: GatehouseError) -> ReadFailure | None:
    """None while there are attempts left."""
    if isinstance(error, Unreadable):
        return error.failure
    if not isinstance(error, PermanentFailure) and job.attempts < job.max_attempts:
        return None
    return ReadFailure.TIMEOUT if isinstance(error, HandlerTimedOut) else ReadFailure.NOT_READ
