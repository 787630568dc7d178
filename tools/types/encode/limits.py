"""What the encode tool refuses, and the one way it says so."""

from typing import Any, Never

from tools.errors import ToolFailure

MAX_CHARS = 1_000_000
MAX_FIELDS = 1_000


def fail(code: str, message: str, **details: Any) -> Never:
    raise ToolFailure(message, code=code, **details)
