"""Things to be found, and asking for them."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from itertools import batched
from typing import Any
from uuid import UUID, uuid4

from documents.models import SearchEntry
from documents.search.items import Item, Part
from documents.search.retrieve import Hits, retrieve
from documents.search.stores import find_postings, is_sound

KIND = "test"
THEN = datetime(2023, 5, 8, 12, tzinfo=UTC)


def make_item(holder: UUID, *texts: str, **values: Any) -> Item:
    facts = {"kind": KIND, "id": uuid4(), "happened_at": THEN, **values}
    return Item(holder_id=holder, parts=[Part(text=text) for text in texts], **facts)


def everything(ids: Sequence[UUID]) -> Collection[UUID]:
    return ids


def find(holder: UUID, question: str, **values: Any) -> Hits:
    return retrieve(KIND, [holder], question, **{"allowed": everything, "now": THEN, **values})


def found(holder: UUID, question: str, **values: Any) -> list[UUID]:
    return [hit.item_id for hit in find(holder, question, **values)]


def assert_in_step() -> None:
    """The word index says what the entries do, asked word by word."""
    holding: dict[str, set[int]] = {}
    for entry in SearchEntry.objects.all():
        for word in entry.words.split():
            holding.setdefault(word, set()).add(entry.pk)
    for words in batched(sorted(holding), 64):  # of a question there are no more
        assert {word: set(ids) for word, ids in find_postings(words).items()} == {
            word: holding[word] for word in words
        }
    assert is_sound()
