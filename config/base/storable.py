"""Values that every database can hold, however strange a peer, a page or a model was.

PostgreSQL knows neither NUL nor lone surrogates, JSON no NaN; and nothing here nests without end.
"""

import math
import re
from typing import Any

MAX_DEPTH = 64
_LOST = "\N{REPLACEMENT CHARACTER}"
_UNSTORABLE = re.compile("[\\0\\ud800-\\udfff]")


def is_storable(value: Any, depth: int = 0) -> bool:
    """Whether the value can be kept as it is."""
    if depth > MAX_DEPTH:
        return False
    if isinstance(value, str):
        return _clean(value) == value
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        items: list[Any] = [*value, *value.values()]
        return all(is_storable(item, depth + 1) for item in items)
    if isinstance(value, list | tuple):
        return all(is_storable(item, depth + 1) for item in value)
    return True


def storable(value: Any, depth: int = 0) -> Any:
    """The value, with what can't be kept replaced."""
    if depth > MAX_DEPTH:
        return _LOST
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {storable(key): storable(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [storable(item, depth + 1) for item in value]
    return value


def _clean(text: str) -> str:
    return _UNSTORABLE.sub(_LOST, text)
