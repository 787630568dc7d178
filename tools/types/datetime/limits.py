"""What the datetime tool refuses, and the one way it says so."""

from typing import Any, Never

from tools.errors import ToolFailure

MAX_TEXT_CHARS = 200
MAX_FORMAT_CHARS = 200
MAX_BUSINESS_DAYS = 100_000
MAX_HOLIDAYS = 2_000


def fail(code: str, message: str, **details: Any) -> Never:
    raise ToolFailure(message, code=code, **details)
