"""What may stand in an event's metadata: facts, not content."""

import math
import uuid
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Any

from skills.errors import MetadataRefused

MAX_TEXT = 200
MAX_ITEMS = 50
MAX_DEPTH = 4
MAX_VALUES = 200


def clean_text(value: Any, limit: int = MAX_TEXT) -> str:
    """Cut, and without what PostgreSQL can't store: NUL and lone surrogates."""
    text = str(value)
    if not (text.isascii() and text.isprintable()):
        text = text.replace("\0", "\ufffd").encode(errors="replace").decode()
    return text if len(text) <= limit else text[: limit - 1] + "…"


def clean_metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    """The metadata as JSON that reads back the same on both databases; long texts are cut.

    Raises `MetadataRefused` for anything that is not small JSON: that is a mistake of the caller.
    """
    left = MAX_VALUES

    def clean(value: Any, depth: int) -> Any:
        nonlocal left
        left -= 1
        if left < 0 or depth > MAX_DEPTH:
            raise MetadataRefused("Audit metadata is too large or too deep.")
        if isinstance(value, dict):
            return {
                clean_text(key): clean(inner, depth + 1) for key, inner in _bounded(value.items())
            }
        if isinstance(value, list | tuple | set | frozenset):
            return [clean(inner, depth + 1) for inner in _bounded(value)]
        return _clean_leaf(value)

    cleaned: dict[str, Any] = clean(metadata, 0)
    return cleaned


def _bounded[T](values: Iterable[T]) -> list[T]:
    listed = list(values)
    if len(listed) > MAX_ITEMS:
        raise MetadataRefused(f"Audit metadata has a list of {len(listed)} items.")
    return listed


def _clean_leaf(value: Any) -> Any:
    if isinstance(value, Enum):
        value = value.value
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str | uuid.UUID | date):
        return clean_text(value)
    if isinstance(value, int):
        return value if abs(value) < 2**63 else clean_text(value)
    if isinstance(value, float | Decimal):
        return _clean_number(float(value))
    raise MetadataRefused(f"Audit metadata can't hold {type(value).__name__}.")


def _clean_number(value: float) -> Any:
    """PostgreSQL writes 1e22 and 1e-7 out in full, which reads back as something else: as text."""
    text = repr(value)
    return value if math.isfinite(value) and "e" not in text and text != "-0.0" else text
