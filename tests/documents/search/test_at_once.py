"""What several do at once ends as if one had waited for the other, and nobody fails."""

from collections.abc import Callable
from functools import partial
from uuid import UUID, uuid4

import pytest
from django.db import transaction

from documents.models import SearchEntry, SearchScope, SearchVector
from documents.search.embedding import embed_item
from documents.search.index import drop_holder, drop_item, put_item
from documents.search.items import Item
from documents.search.rebuilding import rebuild_some
from documents.search.testing import FakeEmbedder, Shelf
from tests.documents.search.making import KIND, assert_in_step, make_item
from tests.threads import both_at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both]

TIMES = 12


def repeated(act: Callable[[int], object]) -> Callable[[], None]:
    def work() -> None:
        for number in range(TIMES):
            with transaction.atomic():
                act(number)

    return work


def put_again(item: Item, _number: int) -> None:
    put_item(item)


def test_two_who_begin_at_once_share_a_scope(shelf: Shelf, holder: UUID) -> None:
    items = [make_item(holder, "kite"), make_item(holder, "whale")]
    both_at_once(*[repeated(partial(put_again, item)) for item in items])
    assert SearchScope.objects.count() == 1
    assert SearchEntry.objects.count() == 2


def test_putting_embedding_and_dropping_wait_for_each_other(shelf: Shelf, holder: UUID) -> None:
    """They lock the scope before its entries: in no other order two would wait for each other."""
    items = [make_item(holder, *["kite"] * 6) for _ in range(3)]
    shelf.put(*items)
    shelf.put(kept := make_item(holder, "a heron"))

    def change(number: int) -> None:
        item = items[number % 3]
        parts = [f"whale {number}"] * (number % 6 + 1)
        shelf.put(make_item(holder, *parts, id=item.id))

    def embed() -> None:
        for number in range(TIMES):
            embed_item(KIND, items[number % 3].id, FakeEmbedder(f"fake {number % 2}"))

    both_at_once(
        repeated(change),
        embed,
        repeated(lambda number: drop_item(KIND, items[-number % 3].id)),
        lambda: [rebuild_some(KIND, None) for _ in range(TIMES)] and None,
    )
    rebuild_some(KIND, None)
    assert SearchEntry.objects.filter(item_id=kept.id).count() == 1
    assert SearchVector.objects.exclude(entry__scope__holder_id=holder).count() == 0
    assert_in_step()


def test_a_holder_who_goes_takes_what_is_embedded_meanwhile(shelf: Shelf) -> None:
    holders = [uuid4() for _ in range(TIMES)]
    items = [make_item(holder, *["kite"] * 4) for holder in holders]
    shelf.put(*items)
    both_at_once(
        lambda: [embed_item(KIND, item.id, FakeEmbedder()) for item in items] and None,
        repeated(lambda number: drop_holder(KIND, holders[number])),
    )
    assert SearchScope.objects.count() == SearchVector.objects.count() == 0
