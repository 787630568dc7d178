"""`settings.AUDIT_RECORDER`: turns entries into rows, by one insert in the caller's transaction.

Nothing is chained here, so writers never wait for each other; `skills.sealer` does that later.
"""

import uuid
from collections.abc import Sequence
from typing import Any

from django.db.models import CharField
from django.utils import timezone

from config.base.actor import Actor
from config.base.audit import AuditEntry, Person
from config.base.ids import uuid7
from config.base.inserts import Insertion, insert_values, insertion
from config.base.models import User
from skills.hashing import hash_fields
from skills.metadata import clean_metadata, clean_text
from skills.models import AuditEvent
from skills.subjects import subject_of

NOBODY = {
    "subject": None,
    "origin": "",
    "agent_id": None,
    "conversation_id": None,
    "run_id": None,
}
TEXTS = (
    "action",
    "tool",
    "skill",
    "skill_version",
    "scope",
    "target_type",
    "target_id",
    "reason_code",
)
_LIMITS = {
    field.name: field.max_length or 0
    for field in AuditEvent._meta.concrete_fields
    if isinstance(field, CharField)
}


class EventRecorder:
    def record(self, entries: Sequence[AuditEntry]) -> None:
        insert_values(AuditEvent, [self._fields(entry) for entry in entries])

    def insertion(self, entry: AuditEntry) -> Insertion:
        return insertion(AuditEvent, self._fields(entry))

    def _fields(self, entry: AuditEntry) -> dict[str, Any]:
        who = self._who(entry.actor)
        fields = {
            "event_id": uuid7(),
            "recorded_at": timezone.now(),
            "outcome": entry.outcome.value,
            "metadata": clean_metadata(_with_subjects(entry)),
            **self._texts(entry),
            **who,
        }
        if who["subject"] and _is_about_oneself(entry):
            fields["target_id"] = str(who["subject"])
        return {**fields, "row_hash": hash_fields(fields)}

    def _texts(self, entry: AuditEntry) -> dict[str, str]:
        return {name: clean_text(getattr(entry, name), _LIMITS[name]) for name in TEXTS}

    def _who(self, actor: Actor | None) -> dict[str, Any]:
        if actor is None:
            return {"actor": "system", **NOBODY}
        return {
            "actor": actor.label.partition(":")[0],
            "subject": subject_of(actor.user),
            "origin": actor.origin.value,
            "agent_id": _uuid(actor.agent_id),
            "conversation_id": _uuid(actor.conversation_id),
            "run_id": _uuid(actor.run_id),
        }


def _is_about_oneself(entry: AuditEntry) -> bool:
    return (
        entry.target_type == "user"
        and entry.actor is not None
        and str(entry.target_id) == str(entry.actor.user.pk)
    )


def _with_subjects(entry: AuditEntry) -> dict[str, Any]:
    """The metadata, with whom its `Person`s stand for."""
    facts = entry.metadata
    if not any(isinstance(value, Person) for value in facts.values()):
        return facts
    nobody = {None, entry.actor.user.pk if entry.actor else None}
    return {
        name: subject_of(User(pk=value.user_id)) if isinstance(value, Person) else value
        for name, value in facts.items()
        if not (isinstance(value, Person) and value.user_id in nobody)
    }


def _uuid(value: uuid.UUID | str | None) -> uuid.UUID | None:
    return uuid.UUID(value) if isinstance(value, str) else value
