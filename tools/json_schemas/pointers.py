"""Places in a document by JSON pointer (RFC 6901). Known on both sides of the killable child."""

import re
from typing import Any
from urllib.parse import unquote

_INDEX = re.compile(r"[0-9]{1,9}")


def value_at(root: Any, pointer: str) -> Any:
    """Raises `LookupError`: nothing stands there, or this is no pointer."""
    first, *steps = pointer.split("/")
    if first:
        raise LookupError(pointer)
    value = root
    for step in steps:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            value = value[name]
        elif isinstance(value, list) and _INDEX.fullmatch(name):
            value = value[int(name)]
        else:
            raise LookupError(pointer)
    return value


def value_behind(root: Any, reference: str) -> Any:
    """Of a reference into the same document, `#/$defs/pet`. Raises `LookupError`."""
    if not reference.startswith("#"):
        raise LookupError(reference)
    return value_at(root, unquote(reference[1:]))
