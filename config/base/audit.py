"""The front door of the audit: every state change calls `record()` in its own transaction.

Who keeps the events is settled by `settings.AUDIT_RECORDER` (the `skills` app): a lower app never
imports a higher one, so the setting is the inversion.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Any, Protocol

from django.conf import settings
from django.utils.module_loading import import_string

from config.base.actor import Actor
from config.base.inserts import Insertion


class Outcome(StrEnum):
    ALLOWED = "allowed"
    DENIED = "denied"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in an event's metadata: kept by their subject, which leads nowhere once they are
    erased, and left out if it is who acted, or nobody."""

    user_id: uuid.UUID | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One event: no content, only who, what, on what, how it ended and why.

    Never a person's key beside their subject: that would tie the two for good. The target ("user",
    key) is for what others do to an account; of who acts themselves it becomes the subject.
    """

    action: str  # dotted: `tool.call.denied`
    outcome: Outcome
    actor: Actor | None = None  # None: nobody is signed in, or the system itself
    tool: str = ""
    skill: str = ""
    skill_version: str = ""
    scope: str = ""
    target_type: str = ""
    target_id: uuid.UUID | str = ""
    reason_code: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)  # JSON and `Person`s, without content


class Recorder(Protocol):
    def record(self, entries: Sequence[AuditEntry]) -> None: ...

    def insertion(self, entry: AuditEntry) -> Insertion: ...


@cache
def _recorder() -> Recorder:
    recorder: Recorder = import_string(settings.AUDIT_RECORDER)()
    return recorder


def record(
    action: str,
    outcome: Outcome,
    *,
    actor: Actor | None,
    target: tuple[str, uuid.UUID | str] | None = None,
    **facts: Any,
) -> None:
    """Write one audit event in the caller's transaction.

    A change that rolls back takes its event with it; denials and failures are recorded in a
    transaction of their own. `facts` are further fields of `AuditEntry`.
    """
    record_all([entry(action, outcome, actor=actor, target=target, **facts)])


def entry(
    action: str,
    outcome: Outcome,
    *,
    actor: Actor | None,
    target: tuple[str, uuid.UUID | str] | None = None,
    **facts: Any,
) -> AuditEntry:
    target_type, target_id = target or ("", "")
    return AuditEntry(
        action=action,
        outcome=outcome,
        actor=actor,
        target_type=target_type,
        target_id=target_id,
        **facts,
    )


def record_all(entries: Sequence[AuditEntry]) -> None:
    """What belongs to one change, in its order: one insert."""
    if entries:
        _recorder().record(entries)


def insertion(entry: AuditEntry) -> Insertion:
    """The event for whoever writes it by one statement with the change itself."""
    return _recorder().insertion(entry)
