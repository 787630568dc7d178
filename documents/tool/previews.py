"""What an update would change, as a person reads it."""

from typing import Any

from documents.diffing import unified_diff
from documents.models import Document
from tools.schemas import Preview


def preview_update(document: Document, new: dict[str, Any]) -> Preview:
    before, after = _as_lines(document, {}, new), _as_lines(document, new, new)
    revision = document.revision
    return Preview("diff", unified_diff(before, after, (f"r{revision}", f"r{revision + 1}")))


def _as_lines(document: Document, values: dict[str, Any], shown: dict[str, Any]) -> list[str]:
    """The fields that are being changed, one a line, then the text."""
    lines = []
    for name in ("title", "type", "summary", "tags"):
        if name in shown:
            value = values.get(name, getattr(document, name))
            lines.append(f"{name}: {', '.join(value) if isinstance(value, list) else value}")
    if "content" in shown:
        lines += values.get("content", document.content).splitlines()
    return lines
