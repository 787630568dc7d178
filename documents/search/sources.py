"""Where what is indexed comes from: each kind says how it is read again.

The index can be lost and made anew, and vectors are made long after the words, in jobs.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol
from uuid import UUID

from config.base.errors import InvalidInput
from documents.search.items import Item


class Source(Protocol):
    kind: str

    def items(self, ids: Sequence[UUID]) -> Iterator[Item]:
        """Those of them that are to be found, as they are now."""
        ...

    def ids_after(self, after: UUID | None, limit: int) -> list[UUID]:
        """Of all that is to be found, in the order of ids."""
        ...


_sources: dict[str, Source] = {}


def register(source: Source) -> None:
    _sources[source.kind] = source


def unregister(kind: str) -> None:
    _sources.pop(kind, None)


def get_source(kind: str) -> Source:
    """Raises `InvalidInput`."""
    source = find_source(kind)
    if source is None:
        raise InvalidInput(f"Nothing of the kind {kind!r} can be found.", code="invalid")
    return source


def find_source(kind: str) -> Source | None:
    return _sources.get(kind)


def known_kinds() -> list[str]:
    return sorted(_sources)
