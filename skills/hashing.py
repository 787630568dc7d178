"""The bytes that are hashed: the same for the same event on every database and version."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.conf import settings

from skills.models import AuditEvent

HASHED_FIELDS = tuple(
    field.attname
    for field in AuditEvent._meta.concrete_fields
    if field.attname not in {"id", "row_hash"}
)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    return value if isinstance(value, str | int | dict) else str(value)


def canonical_json(fields: Mapping[str, Any]) -> bytes:
    """Sorted keys, no spaces, UTF-8; without empty fields, so that a field added later with an
    empty default leaves the hashes of earlier events as they are."""
    plain = {name: _plain(value) for name, value in fields.items() if value not in (None, "", {})}
    return json.dumps(
        plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def hash_event(event: AuditEvent) -> str:
    """SHA-256 over every field but the id and the hash itself."""
    return hash_fields({name: getattr(event, name) for name in HASHED_FIELDS})


def hash_fields(fields: Mapping[str, Any]) -> str:
    """The same of an event's fields by name; each of `HASHED_FIELDS` that is not empty."""
    return hashlib.sha256(canonical_json(fields)).hexdigest()


def keyed_digest(fields: Mapping[str, Any]) -> str:
    """HMAC-SHA256 with `settings.AUDIT_KEY`, which is kept outside the database."""
    return hmac.new(settings.AUDIT_KEY.encode(), canonical_json(fields), "sha256").hexdigest()


def subject_mac(subject_id: UUID, user_id: UUID) -> str:
    """Of the tie between the two: no seal covers it, since erasing takes it away."""
    return keyed_digest({"subject": subject_id, "user": user_id})
