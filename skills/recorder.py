"""`settings.AUDIT_RECORDER`: turns entries into rows, by one insert in the caller's transaction.

Nothing is chained here, so writers never wait for each other; `skills.sealer` does that later.
"""

import uuid
from collections.abc import Sequence
from typing import Any

from django.db.models import CharField
from django.utils import timezone

from config.base.actor import Actor
from config.base.audit import AuditEntry
from config.base.ids import uuid7
from config.base.inserts import Insertion, insert_values, insertion
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
        fields = {
            "event_id": uuid7(),
            "recorded_at": timezone.now(),
            "outcome": entry.outcome.value,
            "metadata": clean_metadata(entry.metadata),
            **self._texts(entry),
            **self._who(entry.actor),
        }
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


def _uuid(value: uuid.UUID | str | None) -> uuid.UUID | None:
    return uuid.UUID(value) if isinstance(value, str) else value
