"""Every figure leads to the rows behind it."""

from datetime import datetime
from typing import Any

from django.urls import reverse


def list_link(model: str, **query: Any) -> str:
    """A list of the console, filtered; `model` as in `tools_toolcall`, times as datetimes."""
    given = {name: _text(value) for name, value in query.items() if value not in (None, "")}
    return reverse(f"admin:{model}_changelist", query=given or None)


def _text(value: Any) -> str:
    return value.isoformat(timespec="seconds") if isinstance(value, datetime) else str(value)
