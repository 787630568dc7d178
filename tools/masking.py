"""What the log keeps of a call: secrets masked, long content cut, both marked."""

import re
from typing import Any

from config.base.digests import canonical_json

MASK = "•••"
LIMIT_BYTES = 16 * 1024
_SECRET = re.compile(
    r"authorization|cookie|passw|secret|token|api.?key|credential|private.?key|signature",
    re.IGNORECASE,
)


def mask(value: Any) -> Any:
    """Replace what stands under a name that looks secret, at any depth."""
    if isinstance(value, dict):
        return {
            key: MASK if _SECRET.search(str(key)) and item else mask(item)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [mask(item) for item in value]
    return value


def size_bytes(value: Any) -> int:
    return len(canonical_json(value).encode("utf-8", "replace"))


def cut(value: Any) -> tuple[Any, bool]:
    """The value, or its beginning as text when it is larger than the log keeps."""
    if size_bytes(value) <= LIMIT_BYTES:
        return value, False
    text = canonical_json(value).encode("utf-8", "replace")[:LIMIT_BYTES]
    return {"cut": text.decode("utf-8", "ignore")}, True
