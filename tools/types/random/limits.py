"""What the random tool refuses, and the one way it says so."""

from typing import Any, Never

from tools.errors import ToolFailure

MAX_ITEMS = 10_000
MAX_COUNT = 10_000
MAX_SIDES = 1_000_000
MAX_WHOLE = 10**18  # of a bound, either way
MAX_SEED_CHARS = 200


def fail(code: str, message: str, **details: Any) -> Never:
    raise ToolFailure(message, code=code, **details)
