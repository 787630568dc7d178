"""For tests: a model that needs none, and a source of things that need no table."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from unittest import mock
from uuid import UUID

import numpy as np

from documents.search import embedders, sources
from documents.search.embedders import Embedder, EmbedderFailed
from documents.search.embedders.protocol import Vectors, normalised
from documents.search.index import drop_item, put_item
from documents.search.items import Item
from documents.search.tokens import terms_of


class FakeEmbedder:
    """Texts are alike as far as they share words, or words that are said to mean the same."""

    least_cosine = 0.6

    def __init__(
        self,
        name: str = "fake",
        *,
        same: Mapping[str, str] | None = None,
        width: int = 256,
        is_multilingual: bool = True,
    ) -> None:
        self.name = name
        self.is_multilingual = is_multilingual
        self.width = width
        self.fails = False
        self.unreadable = ""  # a text with it can't be read
        self.read: list[str] = []  # passages and questions, in their order
        self._same = same or {}

    def embed_question(self, text: str) -> Vectors:
        return normalised(self._vector(text))

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return normalised(np.stack([self._vector(text) for text in texts]))

    def _vector(self, text: str) -> Vectors:
        if self.fails or (self.unreadable and self.unreadable in text):
            raise EmbedderFailed("The fake embedder was told to fail.")
        self.read.append(text)
        vector = np.full(self.width, 0.001, dtype=np.float32)
        for term in terms_of(text):
            digest = blake2b(self._same.get(term, term).encode(), digest_size=4).digest()
            vector[int.from_bytes(digest) % self.width] += 1.0
        return vector


@contextmanager
def use_embedder[Chosen: Embedder](embedder: Chosen) -> Iterator[Chosen]:
    """The installation's, for a while."""
    with mock.patch.object(embedders, "_embedder", return_value=embedder):
        yield embedder


class Shelf:
    """Things of one kind, put and dropped as a service does: in the index and where it is read."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.kept: dict[UUID, Item] = {}

    def put(self, *items: Item) -> None:
        for item in items:
            self.kept[item.id] = item
            put_item(item)

    def drop(self, item_id: UUID) -> None:
        self.kept.pop(item_id, None)
        drop_item(self.kind, item_id)

    def items(self, ids: Sequence[UUID]) -> Iterator[Item]:
        return (self.kept[id_] for id_ in ids if id_ in self.kept)

    def ids_after(self, after: UUID | None, limit: int) -> list[UUID]:
        return sorted(id_ for id_ in self.kept if after is None or id_ > after)[:limit]


@contextmanager
def use_shelf(kind: str = "test") -> Iterator[Shelf]:
    """Instead of what the kind is read from, if it is one of the product's."""
    known = sources.find_source(kind)
    shelf = Shelf(kind)
    sources.register(shelf)
    try:
        yield shelf
    finally:
        sources.unregister(kind)
        if known is not None:
            sources.register(known)
