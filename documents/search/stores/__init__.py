"""Which entries hold a word: the one place that speaks to each database's own word index."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db import connection

from documents.search.stores import postgres, sqlite

type Postings = dict[str, list[int]]


@dataclass(frozen=True, slots=True)
class _Store:
    find_postings: Callable[[Sequence[str]], Postings]
    ensure_index: Callable[[], None]
    rebuild_index: Callable[[], None]
    is_sound: Callable[[], bool]


_STORES = {
    "sqlite": _Store(
        sqlite.find_postings, sqlite.ensure_index, sqlite.rebuild_index, sqlite.is_sound
    ),
    "postgresql": _Store(
        postgres.find_postings, postgres.ensure_index, postgres.rebuild_index, postgres.is_sound
    ),
}


def find_postings(words: Sequence[str]) -> Postings:
    """For each word the ids of the entries that hold it. Words of other scopes find nothing."""
    return _STORES[connection.vendor].find_postings(words) if words else {}


def ensure_index() -> None:
    """Make what migrations of Django can't say, or lose: the word index, and what fills it."""
    _STORES[connection.vendor].ensure_index()


def rebuild_index() -> None:
    """From the entries, whatever stands in it."""
    _STORES[connection.vendor].rebuild_index()


def is_sound() -> bool:
    """Whether the word index is there and says what the entries do."""
    return _STORES[connection.vendor].is_sound()
