"""The jobs that make vectors: whatever happens meanwhile, of what stands in the index now."""

from collections.abc import Callable, Sequence
from uuid import UUID, uuid4

import pytest

from documents.models import SearchEntry, SearchScope, SearchVector
from documents.search import embedding
from documents.search.embedders.protocol import Vectors
from documents.search.embedding import embed_item, embed_some
from documents.search.index import put_entries, put_item
from documents.search.testing import FakeEmbedder, Shelf, use_embedder
from jobs.enums import JobStatus
from jobs.models import Job
from jobs.services import enqueue
from jobs.testing import run_due_jobs
from tests.documents.search.making import KIND, make_item

pytestmark = [pytest.mark.django_db, pytest.mark.both]


class Meanwhile(FakeEmbedder):
    """While it reads, something happens."""

    def __init__(self, act: Callable[[], None]) -> None:
        super().__init__()
        self._act: Callable[[], None] | None = act

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        vectors = super().embed_passages(texts)
        act, self._act = self._act, None
        if act is not None:
            act()
        return vectors


def embed_missing() -> Job:
    enqueue("search.embed_missing", {}, actor=None)
    return run_due_jobs()[-1]


def test_what_is_put_is_read_by_a_job(shelf: Shelf, holder: UUID, embedder: FakeEmbedder) -> None:
    shelf.put(make_item(holder, "a red kite", "a whale", subject="Alice"))
    (job,) = run_due_jobs()
    assert (job.kind, job.status) == ("search.embed", JobStatus.COMPLETED)
    assert embedder.read == ["Alice: a red kite", "Alice: a whale"]
    vectors = SearchVector.objects.all()
    assert [(one.model, one.scope_id) for one in vectors] == [
        ("fake", SearchScope.objects.get().pk)
    ] * 2


def test_twice_is_once(shelf: Shelf, holder: UUID, embedder: FakeEmbedder) -> None:
    """As after a process that was killed: its vectors are there, its job is not done."""
    item = make_item(holder, "a red kite")
    shelf.put(item)
    run_due_jobs()
    before = list(SearchVector.objects.values())
    enqueue("search.embed", {"kind": KIND, "item": str(item.id)}, actor=None)
    (job,) = run_due_jobs()
    assert (job.status, job.result) == (JobStatus.COMPLETED, {"vectors": 0})
    assert list(SearchVector.objects.values()) == before


def test_what_was_changed_meanwhile_gets_no_vector_of_what_it_was(
    shelf: Shelf, holder: UUID
) -> None:
    item = make_item(holder, "a red kite")
    put_entries(item)
    shelf.kept[item.id] = item
    changed = make_item(holder, "a blue whale", id=item.id)
    reader = Meanwhile(lambda: shelf.put(changed))
    assert embed_item(KIND, item.id, reader) == 0
    assert SearchVector.objects.count() == 0
    assert embed_item(KIND, item.id, reader) == 1
    assert reader.read == ["a red kite", "a blue whale"]


def test_what_was_dropped_meanwhile_gets_none(shelf: Shelf, holder: UUID) -> None:
    item, other = make_item(holder, "a red kite"), make_item(holder, "a whale")
    for one in (item, other):
        put_entries(one)
        shelf.kept[one.id] = one
    assert embed_some(Meanwhile(lambda: shelf.drop(item.id)), 0)[1] == 1
    assert SearchVector.objects.get().entry.item_id == other.id


def test_nor_does_a_holder_who_is_gone(shelf: Shelf, holder: UUID) -> None:
    item = make_item(holder, "a red kite")
    put_entries(item)
    shelf.kept[item.id] = item
    reader = Meanwhile(lambda: SearchScope.objects.all().delete() and None)
    assert embed_item(KIND, item.id, reader) == 0


def test_what_its_source_does_not_have_as_indexed_is_left(shelf: Shelf, holder: UUID) -> None:
    gone, moved, fewer, other = (make_item(holder, "a kite", "a bear") for _ in range(4))
    for item in (gone, moved, fewer, other):
        put_entries(item)
    shelf.kept[moved.id] = make_item(uuid4(), "a kite", "a bear", id=moved.id)
    shelf.kept[fewer.id] = make_item(holder, "a kite", id=fewer.id)
    shelf.kept[other.id] = make_item(holder, "a kite", "a whale", id=other.id)
    assert embed_some(FakeEmbedder(), 0)[1] == 2
    read = SearchVector.objects.values_list("entry__item_id", "entry__part")
    assert set(read) == {(fewer.id, 0), (other.id, 0)}


def test_of_a_kind_that_nothing_reads_nothing_is_read(
    shelf: Shelf, holder: UUID, embedder: FakeEmbedder
) -> None:
    put_entries(make_item(holder, "a kite", kind="benchmark"))
    shelf.put(make_item(holder, "a whale"))
    run_due_jobs()
    job = embed_missing()
    assert (job.status, job.result) == (JobStatus.COMPLETED, {"vectors": 0, "missing": 1})
    enqueue("search.embed", {"kind": "benchmark", "item": str(uuid4())}, actor=None)
    assert run_due_jobs()[-1].status == JobStatus.COMPLETED


def test_after_another_model_was_chosen_all_is_read_anew(
    shelf: Shelf, holder: UUID, embedder: FakeEmbedder
) -> None:
    shelf.put(*[make_item(holder, f"kite {n}") for n in range(embedding.AT_ONCE + 3)])
    run_due_jobs()
    with use_embedder(FakeEmbedder("other", width=32)):
        job = embed_missing()
    assert job.result == {"vectors": embedding.AT_ONCE + 3, "missing": 0}
    assert set(SearchVector.objects.values_list("model", flat=True)) == {"other"}
    assert {len(bytes(one.vector)) for one in SearchVector.objects.all()} == {64}


def test_without_a_model_there_is_nothing_to_do(shelf: Shelf, holder: UUID) -> None:
    shelf.put(make_item(holder, "a kite"))
    assert embed_missing().result == {"vectors": 0, "missing": 0}


def test_when_the_model_fails_the_job_says_so_and_comes_again(
    shelf: Shelf, holder: UUID, embedder: FakeEmbedder
) -> None:
    shelf.put(make_item(holder, "a kite"))
    embedder.fails = True
    (job,) = run_due_jobs()
    assert job.status == JobStatus.RETRYING
    assert "told to fail" in job.last_error_message


def test_a_text_that_can_not_be_read_holds_up_no_other(
    shelf: Shelf, holder: UUID, embedder: FakeEmbedder
) -> None:
    items = [make_item(holder, f"kite {n}") for n in range(2 * embedding.AT_ONCE)]
    for item in items:
        put_entries(item)
        shelf.kept[item.id] = item
    embedder.unreadable = "kite 5"
    job = embed_missing()
    assert job.result == {"vectors": 2 * embedding.AT_ONCE - 1, "missing": 1}


def test_where_none_can_be_read_it_stops_soon(
    shelf: Shelf, holder: UUID, embedder: FakeEmbedder
) -> None:
    for n in range(embedding.AT_ONCE):
        item = make_item(holder, f"kite {n}")
        put_entries(item)
        shelf.kept[item.id] = item
    embedder.fails = True
    assert embed_missing().status == JobStatus.RETRYING


def test_revisions_grow_with_each_writing(
    shelf: Shelf, holder: UUID, embedder: FakeEmbedder
) -> None:
    for _ in range(2):
        shelf.put(make_item(holder, "a kite", "a whale"))
        run_due_jobs()
    revisions = list(SearchVector.objects.order_by("pk").values_list("revision", flat=True))
    assert revisions == [1, 1, 2, 2]
    assert SearchScope.objects.get().vectors_revision == 2


def test_the_index_is_put_without_waiting_for_the_model(
    shelf: Shelf, holder: UUID, embedder: FakeEmbedder
) -> None:
    put_item(make_item(holder, "a kite"))
    assert SearchEntry.objects.count() == 1
    assert embedder.read == []
