"""What the log keeps of a call: secrets masked, long content cut, both marked."""

import re
from typing import Any

from config.base.digests import canonical_json
from tools.secrets.known import HIDDEN, hide

MASK = HIDDEN
LIMIT_BYTES = 16 * 1024
_NAMES = r"authorization|cookie|passw|secret|token|api.?key|credential|private.?key|signature"
_SECRET = re.compile(_NAMES, re.IGNORECASE)
# Bounded, so that no text makes it slow.
_IN_QUERY = re.compile(
    rf"([?&][^?=&#\s]{{0,40}}(?:{_NAMES})[^?=&#\s]{{0,40}}=)[^&#\s]+", re.IGNORECASE
)


def mask(value: Any) -> Any:
    """Replace what stands under a name that looks secret, at any depth and in addresses.

    And what this process knows to be a secret, wherever it stands.
    """
    return _masked(hide(value))


def _masked(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: MASK if _SECRET.search(str(key)) and item else _masked(item)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_masked(item) for item in value]
    return _IN_QUERY.sub(rf"\1{MASK}", value) if isinstance(value, str) else value


def size_bytes(value: Any) -> int:
    return len(canonical_json(value).encode("utf-8", "replace"))


def cut(value: Any) -> tuple[Any, bool]:
    """The value, or its beginning as text when it is larger than the log keeps."""
    if size_bytes(value) <= LIMIT_BYTES:
        return value, False
    text = canonical_json(value).encode("utf-8", "replace")[:LIMIT_BYTES]
    return {"cut": text.decode("utf-8", "ignore")}, True
