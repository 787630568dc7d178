"""Values of secrets that this process has had in its hands, hidden wherever they come back.

Only in memory, and never forgotten while it lives: a value that was replaced may still be echoed.
"""

import threading
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from tools.secrets.encodings import MIN_LENGTH, spellings

HIDDEN = "•••"
_HIDDEN_BYTES = b"***"  # whatever the charset is
_adding = threading.Lock()
_known: dict[str, tuple[str, ...]] = {}  # replaced, never changed: others may be reading it


def remember(value: str) -> None:
    global _known
    if value not in _known:
        with _adding:
            _known = {**_known, value: spellings(value)}


def forget_all() -> None:
    """For tests."""
    global _known
    _known = {}


def hide(value: Any) -> Any:
    """The same, at any depth, without a known value in any spelling.

    Looked for in all its texts at once: one by one, a table of small cells takes half a second.
    """
    return _hidden(value) if _known and is_told_in("\n".join(_texts(value))) else value


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(key)
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def _hidden(value: Any) -> Any:
    if isinstance(value, str):
        return hide_text(value)
    if isinstance(value, dict):
        return {_hidden(key): _hidden(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_hidden(item) for item in value)
    return value


def hide_text(text: str) -> str:
    if len(text) < MIN_LENGTH:
        return text
    for every in _known.values():
        for spelling in every:
            if spelling in text:
                text = text.replace(spelling, HIDDEN)
    return text


def is_told_in(text: str) -> bool:
    return any(spelling in text for every in _known.values() for spelling in every)


def hide_bytes(body: bytes, *, ends_early: bool = False) -> bytes:
    """Before anything is parsed: a parser may tear a value apart.

    `ends_early`: the body was cut, perhaps in the middle of a value.
    """
    for every in _known.values():
        for spelling in _encoded(every):
            body = body.replace(spelling, _HIDDEN_BYTES)
            if ends_early:
                body = _without_beginning(body, spelling)
    return body


@lru_cache(maxsize=1024)
def _encoded(every: tuple[str, ...]) -> tuple[bytes, ...]:
    return tuple(spelling.encode("utf-8", "replace") for spelling in every)


def _without_beginning(body: bytes, spelling: bytes) -> bytes:
    tail = body[max(len(body) - len(spelling) + 1, 0) :]
    at = tail.find(spelling[:MIN_LENGTH])
    while at >= 0:
        if spelling.startswith(tail[at:]):
            return body[: len(body) - len(tail) + at] + _HIDDEN_BYTES
        at = tail.find(spelling[:MIN_LENGTH], at + 1)
    return body
