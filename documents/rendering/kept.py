"""What was rendered lately, for the next who looks: a thread is shown anew after every turn.

In the memory of this process, bounded by the characters of texts and HTML; what was not asked for
the longest goes first. By language too: some labels are ours.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable

from django.utils.translation import get_language

from documents.rendering.rendered import Rendered

MAX_CHARACTERS = 8_000_000

type Key = tuple[str | None, str]

_lock = threading.Lock()
_kept: OrderedDict[Key, Rendered] = OrderedDict()
_characters = 0


def kept(text: str, make: Callable[[str], Rendered]) -> Rendered:
    """What `make` gave for this text. What it raises is not kept: later it may be in luck."""
    key = (get_language(), text)
    with _lock:
        found = _kept.get(key)
        if found is not None:
            _kept.move_to_end(key)
            return found
    made = make(text)
    with _lock:
        _keep(key, made)
    return made


def _keep(key: Key, made: Rendered) -> None:
    global _characters
    if key not in _kept:
        _characters += _size(key, made)
    _kept[key] = made
    while _characters > MAX_CHARACTERS:
        _characters -= _size(*_kept.popitem(last=False))


def _size(key: Key, made: Rendered) -> int:
    return len(key[1]) + len(made.html) + len(made.contents)


def forget() -> None:
    """For tests that measure rendering itself."""
    global _characters
    with _lock:
        _kept.clear()
        _characters = 0
