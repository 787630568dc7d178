"""The index is what its items are, whatever is put, changed, dropped and taken back."""

from contextlib import suppress
from uuid import UUID, uuid4

import pytest
from django.db import transaction

from documents.models import SearchEntry, SearchScope, SearchVector
from documents.search.index import drop_holder, drop_item, put_item
from documents.search.testing import FakeEmbedder, Shelf
from jobs.testing import run_due_jobs
from tests.documents.search.making import KIND, THEN, assert_in_step, found, make_item

pytestmark = [pytest.mark.django_db, pytest.mark.both]


def test_an_item_is_put_in_its_parts(shelf: Shelf, holder: UUID) -> None:
    item = make_item(holder, "a red kite", "a blue whale")
    put_item(item)
    entries = SearchEntry.objects.order_by("part")
    assert [(entry.item_id, entry.part) for entry in entries] == [(item.id, 0), (item.id, 1)]
    first, second = (entry.place for entry in entries)
    assert first is not None
    assert second == first + 1
    assert_in_step()


def test_twice_is_once(shelf: Shelf, holder: UUID) -> None:
    item = make_item(holder, "a red kite")
    put_item(item)
    before = list(SearchEntry.objects.values())
    put_item(item)
    assert list(SearchEntry.objects.values()) == before
    assert_in_step()


def test_what_is_changed_is_found_by_its_new_words_only(shelf: Shelf, holder: UUID) -> None:
    item = make_item(holder, "a red kite")
    put_item(item)
    put_item(make_item(holder, "a blue whale", id=item.id))
    assert found(holder, "red kite") == []
    assert found(holder, "blue whale") == [item.id]
    assert_in_step()


def test_fewer_parts_leave_none_behind(shelf: Shelf, holder: UUID) -> None:
    item = make_item(holder, "one kite", "two whales", "three bears")
    put_item(item)
    put_item(make_item(holder, "one kite", id=item.id))
    assert SearchEntry.objects.count() == 1
    put_item(make_item(holder, id=item.id))
    assert SearchEntry.objects.count() == 0
    assert_in_step()


def test_more_parts_are_added(shelf: Shelf, holder: UUID) -> None:
    item = make_item(holder, "one kite")
    put_item(item)
    put_item(make_item(holder, "one kite", "two whales", id=item.id))
    assert found(holder, "whale") == [item.id]
    assert_in_step()


def test_who_gets_an_item_is_the_only_one_who_has_it(shelf: Shelf, holder: UUID) -> None:
    other = uuid4()
    item = make_item(holder, "a red kite", "a blue whale")
    put_item(item)
    put_item(make_item(other, "a red kite", id=item.id))
    assert found(holder, "kite") == []
    assert found(other, "kite") == [item.id]
    assert SearchEntry.objects.count() == 1
    assert_in_step()


def test_other_facts_are_written_without_reading_it_again(
    shelf: Shelf, holder: UUID, embedder: FakeEmbedder
) -> None:
    item = make_item(holder, "a red kite")
    shelf.put(item)
    run_due_jobs()
    moved = make_item(
        holder, "a red kite", id=item.id, importance=0.5, session_id=uuid4(), position=7
    )
    shelf.put(moved)
    entry = SearchEntry.objects.get()
    assert (entry.importance, entry.place) == (0.5, moved.place_of(0))
    assert SearchVector.objects.count() == 1
    assert run_due_jobs() == []


def test_what_is_dropped_is_gone_with_its_vectors(
    shelf: Shelf, holder: UUID, embedder: FakeEmbedder
) -> None:
    one, other = make_item(holder, "red kite"), make_item(holder, "red bear")
    shelf.put(one, other)
    run_due_jobs()
    drop_item(KIND, one.id)
    drop_item(KIND, uuid4())
    assert found(holder, "red", words_only=True) == [other.id]
    assert SearchVector.objects.count() == 1
    assert_in_step()


def test_a_drop_is_of_its_kind(shelf: Shelf, holder: UUID) -> None:
    item = make_item(holder, "a red kite")
    put_item(item)
    drop_item("other", item.id)
    drop_holder("other", holder)
    assert found(holder, "kite") == [item.id]


def test_a_holder_who_is_dropped_leaves_nothing(
    shelf: Shelf, holder: UUID, embedder: FakeEmbedder
) -> None:
    other = uuid4()
    shelf.put(make_item(holder, "red kite", "x"), make_item(other, "red kite"))
    run_due_jobs()
    drop_holder(KIND, holder)
    assert list(SearchScope.objects.values_list("holder_id", flat=True)) == [other]
    assert SearchEntry.objects.count() == SearchVector.objects.count() == 1
    assert_in_step()


def test_one_who_comes_back_has_other_words(shelf: Shelf, holder: UUID) -> None:
    item = make_item(holder, "a red kite")
    put_item(item)
    before = set(SearchEntry.objects.get().words.split())
    drop_holder(KIND, holder)
    put_item(item)
    assert not before & set(SearchEntry.objects.get().words.split())


class Broken(Exception):
    pass


@pytest.mark.django_db(transaction=True)
def test_what_is_taken_back_was_never_there(shelf: Shelf, holder: UUID) -> None:
    item, stays = make_item(holder, "a red kite"), make_item(holder, "a grey heron")
    put_item(item)
    put_item(stays)
    with suppress(Broken), transaction.atomic():
        put_item(make_item(holder, "a blue whale", id=item.id))
        put_item(make_item(holder, "a white whale"))
        drop_item(KIND, stays.id)
        raise Broken
    assert found(holder, "whale") == []
    assert found(holder, "kite") == [item.id]
    assert found(holder, "heron") == [stays.id]
    assert_in_step()


def test_a_job_is_asked_for_only_where_a_model_reads(shelf: Shelf, holder: UUID) -> None:
    shelf.put(make_item(holder, "a red kite"))
    assert run_due_jobs() == []


def test_a_part_of_a_megabyte_is_put(shelf: Shelf, holder: UUID) -> None:
    text = "".join(chr(0x4E00 + n % 20_000) for n in range(1_000_000))
    item = make_item(holder, text, subject="Alice")
    put_item(item)
    assert found(holder, text[:4]) == [item.id]
    assert found(holder, "8 May 2023") == [item.id]  # its date, though the text is too long


def test_a_part_without_words_has_its_date(shelf: Shelf, holder: UUID) -> None:
    item = make_item(holder, "…")
    put_item(item)
    assert found(holder, "2023年5月") == [item.id]
    assert SearchEntry.objects.get().happened_at == THEN
