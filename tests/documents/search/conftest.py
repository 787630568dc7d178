"""A shelf of things to be found, and a model that reads them."""

from collections.abc import Iterator
from uuid import UUID, uuid4

import pytest

from documents.search.testing import FakeEmbedder, Shelf, use_embedder, use_shelf


@pytest.fixture
def shelf(db: None) -> Iterator[Shelf]:
    with use_shelf() as shelf:
        yield shelf


@pytest.fixture
def holder() -> UUID:
    return uuid4()


@pytest.fixture
def embedder() -> Iterator[FakeEmbedder]:
    fake = FakeEmbedder()
    with use_embedder(fake):
        yield fake
