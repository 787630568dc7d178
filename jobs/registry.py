"""Which kinds of jobs this process can run: fixed once the apps are loaded.

An app adds handlers in `<app>/job_handlers.py`, found the way `admin.py` is.
"""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.utils.module_loading import autodiscover_modules
from django.utils.translation import gettext as _

from jobs.errors import UnknownKind
from jobs.handlers import Handler
from jobs.models import Job

type AnyHandler = Handler[Any]

MAX_HARD_LIMIT_SECONDS = float(settings.JOB_HARD_LIMIT_SECONDS)

_handlers: dict[str, AnyHandler] = {}


def register(handler: type[AnyHandler]) -> type[AnyHandler]:
    """Class decorator. A kind taken by another class is an error at start-up."""
    present = _handlers.get(handler.kind)
    if present is not None and type(present) is not handler:
        raise ValueError(f"two handlers are for {handler.kind!r}")
    if not 0 < handler.hard_limit_seconds <= MAX_HARD_LIMIT_SECONDS:
        raise ValueError(f"{handler.kind}: a hard limit is up to {MAX_HARD_LIMIT_SECONDS:g} s")
    _handlers[handler.kind] = handler()
    return handler


def unregister(kind: str) -> None:
    """For tests that register handlers of their own."""
    _handlers.pop(kind, None)


def discover() -> None:
    autodiscover_modules("job_handlers")


def find_handler(kind: str) -> AnyHandler | None:
    return _handlers.get(kind)


def get_handler(kind: str) -> AnyHandler:
    """Raises `UnknownKind` with the kinds that are known."""
    handler = _handlers.get(kind)
    if handler is None:
        text = _("There is no kind of job “%(kind)s”. Known: %(known)s.")
        raise UnknownKind(text % {"kind": kind, "known": ", ".join(list_kinds())})
    return handler


def audit_facts(job: Job) -> Mapping[str, str]:
    """What its handler adds to its events; nothing for a kind that is gone."""
    handler = find_handler(job.kind)
    return handler.audit_facts(job) if handler else {}


def list_handlers() -> list[AnyHandler]:
    return [_handlers[kind] for kind in sorted(_handlers)]


def list_kinds() -> list[str]:
    return sorted(_handlers)
