"""What was agreed with a server, kept for a while: in this process only, never its credentials.

A link belongs to one URL with one set of opened headers; whoever sends others begins anew.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

from config.base.digests import canonical_digest

LINK_SECONDS = 300.0
LIST_SECONDS = 30.0
_MOST = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    version: str
    session_id: str = ""
    server_name: str = ""


class Kept[ValueT]:
    """The last few, each for some seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._rows: OrderedDict[str, tuple[float, ValueT]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> ValueT | None:
        with self._lock:
            until, value = self._rows.get(key, (0.0, None))
        return value if until > time.monotonic() else None

    def put(self, key: str, value: ValueT) -> None:
        with self._lock:
            self._rows[key] = (time.monotonic() + self._seconds, value)
            self._rows.move_to_end(key)
            while len(self._rows) > _MOST:
                self._rows.popitem(last=False)

    def drop(self, key: str) -> None:
        with self._lock:
            self._rows.pop(key, None)

    def clear(self) -> None:
        with self._lock:
            self._rows.clear()


links: Kept[Link] = Kept(LINK_SECONDS)
listed_hashes: Kept[dict[str, str]] = Kept(LIST_SECONDS)  # name of a tool to its descriptor's


def link_key(url: str, headers: Mapping[str, str]) -> str:
    return canonical_digest([url, dict(headers)])


def forget_links() -> None:
    """For tests."""
    links.clear()
    listed_hashes.clear()
