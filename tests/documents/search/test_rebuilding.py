"""The index made anew, and held against what it is made from."""

from collections.abc import Callable, Iterator, Sequence
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from documents.models import SearchEntry, SearchScope, SearchVector
from documents.search import rebuilding, sources
from documents.search.index import drop_item, put_entries, put_item
from documents.search.items import Item
from documents.search.stores import is_sound
from documents.search.testing import FakeEmbedder, Shelf
from jobs.enums import JobStatus
from jobs.models import Job
from jobs.services import enqueue
from jobs.testing import run_due_jobs
from tests.documents.search.making import KIND, assert_in_step, found, make_item

pytestmark = [pytest.mark.django_db, pytest.mark.both]


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebuilding, "AT_ONCE", 3)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    call_command("search_index", "--kind", KIND, *arguments)
    return capsys.readouterr().out.splitlines()


@pytest.fixture
def differing(shelf: Shelf, holder: UUID) -> list[Item]:
    """Of twelve three are missing, two stale, of which one has a part too many, and two gone."""
    items = [make_item(holder, f"kite {n}") for n in range(12)]
    shelf.put(*items)
    for item in items[:3]:
        drop_item(KIND, item.id)
    put_item(make_item(holder, "whale", id=items[3].id))
    put_item(make_item(holder, "kite 4", "more", id=items[4].id))
    for item in items[10:]:
        del shelf.kept[item.id]
    return items


def test_what_is_as_it_should_be_stays(
    shelf: Shelf, holder: UUID, embedder: FakeEmbedder, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.put(*[make_item(holder, f"kite {n}", "a part") for n in range(7)])
    run_due_jobs()
    before = list(SearchEntry.objects.order_by("pk").values())
    assert run(capsys) == [f"{KIND}: 3", f"{KIND}: 6", f"{KIND}: 7"]
    assert list(SearchEntry.objects.order_by("pk").values()) == before
    assert SearchVector.objects.count() == 14
    assert run_due_jobs() == []
    assert run(capsys, "--check") == [f"{KIND}: 0 missing, 0 surplus, 0 stale"]


def test_it_says_what_differs_and_changes_nothing(
    differing: list[Item], capsys: pytest.CaptureFixture[str]
) -> None:
    before = list(SearchEntry.objects.order_by("pk").values())
    with pytest.raises(CommandError) as failed:
        run(capsys, "--check")
    assert failed.value.returncode == 1
    assert capsys.readouterr().out.splitlines() == [f"{KIND}: 3 missing, 3 surplus, 2 stale"]
    assert list(SearchEntry.objects.order_by("pk").values()) == before


def test_it_is_mended(
    differing: list[Item], holder: UUID, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys)[-1] == f"{KIND}: 10"
    assert run(capsys, "--check") == [f"{KIND}: 0 missing, 0 surplus, 0 stale"]
    assert set(found(holder, "kite", limit=20)) == {item.id for item in differing[:10]}
    assert_in_step()


def test_of_nothing_at_all_everything_is_made(
    shelf: Shelf, holder: UUID, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.put(*[make_item(holder, "kite", "whale") for _ in range(4)])
    SearchScope.objects.all().delete()
    with pytest.raises(CommandError):
        run(capsys, "--check")
    assert capsys.readouterr().out.splitlines() == [f"{KIND}: 8 missing, 0 surplus, 0 stale"]
    run(capsys)
    assert SearchEntry.objects.count() == 8


def test_where_nothing_is_left_nothing_stays(
    shelf: Shelf, holder: UUID, capsys: pytest.CaptureFixture[str]
) -> None:
    shelf.put(*[make_item(holder, "kite") for _ in range(7)])
    shelf.kept.clear()
    assert run(capsys)[-1] == f"{KIND}: 0"
    assert SearchEntry.objects.count() == 0


def test_what_nobody_reads_is_named_and_taken_out_with_all_kinds(
    shelf: Shelf, holder: UUID, capsys: pytest.CaptureFixture[str]
) -> None:
    put_entries(make_item(holder, "kite", kind="left"))
    run(capsys, "--check")
    capsys.readouterr()
    with pytest.raises(CommandError):
        call_command("search_index", "--check")
    assert "left: nothing reads this kind" in capsys.readouterr().out
    call_command("search_index")
    call_command("search_index", "--check")
    assert not SearchScope.objects.filter(kind="left").exists()


def test_another_kind_is_refused(shelf: Shelf) -> None:
    with pytest.raises(CommandError, match="none of the kinds"):
        call_command("search_index", "--kind", "nonsense")


def break_word_index() -> None:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("INSERT INTO documents_searchwords(rowid, words) VALUES (999, 'aaaa')")
        else:
            cursor.execute("DROP INDEX documents_search_words")


@pytest.mark.django_db(transaction=True)
def test_a_word_index_that_differs_is_told_and_mended(
    shelf: Shelf, holder: UUID, capsys: pytest.CaptureFixture[str]
) -> None:
    item = make_item(holder, "kite")
    shelf.put(item)
    break_word_index()
    assert not is_sound()
    with pytest.raises(CommandError):
        run(capsys, "--check")
    assert "word index" in capsys.readouterr().out
    call_command("search_index")
    assert is_sound()
    assert found(holder, "kite") == [item.id]


def rebuild_job() -> Job:
    enqueue("search.rebuild", {}, actor=None)
    (job,) = run_due_jobs()
    return job


def test_a_job_does_the_same(differing: list[Item], holder: UUID) -> None:
    job = rebuild_job()
    assert job.status == JobStatus.COMPLETED
    assert isinstance(job.result, dict)
    assert job.result[KIND] == 10
    assert len(found(holder, "kite", limit=20)) == 10


def test_the_job_makes_no_job_of_each_item(
    shelf: Shelf, holder: UUID, embedder: FakeEmbedder
) -> None:
    for item in [make_item(holder, "kite") for _ in range(5)]:
        shelf.kept[item.id] = item
    rebuild_job()
    assert SearchEntry.objects.count() == 5


class Changing(Shelf):
    """While it is read for the so-manieth time, somebody else changes something."""

    def __init__(self, shelf: Shelf, at: int, change: Callable[[], None]) -> None:
        super().__init__(shelf.kind)
        self.kept = shelf.kept
        self._left = at
        self._change = change

    def items(self, ids: Sequence[UUID]) -> Iterator[Item]:
        self._left -= 1
        if self._left == 0:
            self._change()
        return super().items(ids)


@pytest.mark.parametrize("at", [1, 2, 3])
def test_what_changes_while_it_is_read_is_as_it_is_now(at: int, shelf: Shelf, holder: UUID) -> None:
    missing, gone, new = (make_item(holder, "kite") for _ in range(3))
    shelf.put(gone)
    shelf.kept[missing.id] = missing
    del shelf.kept[gone.id]

    def change() -> None:
        shelf.put(new, gone, make_item(holder, "whale", id=missing.id))

    sources.register(Changing(shelf, at, change))
    rebuild()
    assert set(found(holder, "kite")) == {new.id, gone.id}
    assert found(holder, "whale") == [missing.id]
    assert_in_step()


def rebuild() -> None:
    last, _count = rebuilding.rebuild_some(KIND, None)
    while last is not None:
        last, _count = rebuilding.rebuild_some(KIND, last)
