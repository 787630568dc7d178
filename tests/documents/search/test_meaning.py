"""What is found by meaning, and that a process that keeps vectors knows what became of them."""

from uuid import UUID, uuid4

import numpy as np
import pytest

from documents.models import SearchScope, SearchVector
from documents.search import meaning
from documents.search.index import drop_holder
from documents.search.meaning import Kept, Matrix, find_cosines
from documents.search.retrieve import retrieve
from documents.search.testing import FakeEmbedder, Shelf, use_embedder
from jobs.testing import run_due_jobs
from tests.documents.search.making import KIND, everything, find, found, make_item

pytestmark = [pytest.mark.django_db, pytest.mark.both]

SAME = {"automobil": "car", "garag": "workshop"}


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder(same=SAME)


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "_kept", Kept(meaning.MOST_KEPT_BYTES))


def put(shelf: Shelf, embedder: FakeEmbedder, *texts: str, holder: UUID) -> list[UUID]:
    items = [make_item(holder, text) for text in texts]
    with use_embedder(embedder):
        shelf.put(*items)
        run_due_jobs()
    return [item.id for item in items]


def ask(holder: UUID, question: str, embedder: FakeEmbedder) -> list[UUID]:
    with use_embedder(embedder):
        return found(holder, question)


def test_what_means_the_same_in_other_words_is_found(
    shelf: Shelf, holder: UUID, embedder: FakeEmbedder
) -> None:
    car, _bear = put(shelf, embedder, "my car", "a brown bear", holder=holder)
    assert found(holder, "automobile") == []
    with use_embedder(embedder):
        hits = find(holder, "automobile")
    assert hits[0].item_id == car
    assert not hits.without_meaning
    assert hits[0].words == ()
    assert hits[0].meaning is not None


def test_likeness_alone_is_evidence_from_where_the_model_says(
    shelf: Shelf, holder: UUID, embedder: FakeEmbedder
) -> None:
    put(shelf, embedder, "car", "bears sleep in winter, says everybody", holder=holder)
    with use_embedder(embedder):
        evidence = [hit.is_evidence for hit in find(holder, "automobile")]
    assert evidence == [True, False]


def test_what_is_written_since_is_found(shelf: Shelf, holder: UUID, embedder: FakeEmbedder) -> None:
    put(shelf, embedder, "a brown bear", holder=holder)
    ask(holder, "automobile", embedder)
    (car,) = put(shelf, embedder, "my car", holder=holder)
    assert ask(holder, "automobile", embedder)[0] == car


def test_what_is_read_again_is_found_by_what_it_says_now(
    shelf: Shelf, holder: UUID, embedder: FakeEmbedder
) -> None:
    car, bear = put(shelf, embedder, "my car", "a brown bear", holder=holder)
    assert ask(holder, "automobile", embedder)[0] == car
    with use_embedder(embedder):
        shelf.put(make_item(holder, "a blue whale", id=car), make_item(holder, "my car", id=bear))
        run_due_jobs()
    assert ask(holder, "automobile", embedder)[0] == bear


def test_what_is_gone_neither_answers_nor_weighs(
    shelf: Shelf, holder: UUID, embedder: FakeEmbedder
) -> None:
    """Else a process that had it in memory would answer otherwise than one that had not."""
    car, bear = put(shelf, embedder, "my car", "car, bear, winter", holder=holder)
    ask(holder, "automobile", embedder)
    shelf.drop(car)
    with use_embedder(embedder):
        kept = find(holder, "automobile")
        meaning._kept = Kept(meaning.MOST_KEPT_BYTES)
        anew = find(holder, "automobile")
    assert list(kept) == list(anew)
    assert [hit.item_id for hit in kept] == [bear]


def test_one_that_goes_while_another_comes_is_gone(
    shelf: Shelf, holder: UUID, embedder: FakeEmbedder
) -> None:
    car, _bear = put(shelf, embedder, "my car", "a brown bear", holder=holder)
    ask(holder, "automobile", embedder)
    shelf.drop(car)
    (other,) = put(shelf, embedder, "your car", holder=holder)
    scope = SearchScope.objects.get()
    ids, _cosines = find_cosines(
        scope.pk, bytes(scope.salt), "fake", embedder.embed_question("car")
    )
    assert sorted(ids) == list(SearchVector.objects.order_by("pk").values_list("pk", flat=True))
    assert ask(holder, "automobile", embedder)[0] == other


def test_nothing_is_asked_for_again_while_nothing_changes(
    shelf: Shelf,
    holder: UUID,
    embedder: FakeEmbedder,
    django_assert_num_queries: pytest.FixtureRequest,
) -> None:
    put(shelf, embedder, "my car", holder=holder)
    scope = SearchScope.objects.get()
    asked = scope.pk, bytes(scope.salt), "fake", embedder.embed_question("car")
    find_cosines(*asked)
    with django_assert_num_queries(1):  # type: ignore[operator]  # a fixture without a type
        find_cosines(*asked)


def test_another_model_is_used_when_it_has_read(
    shelf: Shelf, holder: UUID, embedder: FakeEmbedder
) -> None:
    """Until then it goes by words alone; what another model made says nothing to it."""
    (car,) = put(shelf, embedder, "my car", holder=holder)
    other = FakeEmbedder("other", same=SAME)
    assert ask(holder, "automobile", other) == []
    with use_embedder(other):
        assert find(holder, "car").without_meaning
    put(shelf, other, "a bear", holder=holder)
    with use_embedder(other):
        assert not find(holder, "car").without_meaning
        assert car in found(holder, "car")  # by its words, while its vector is the other's


def test_vectors_of_another_width_are_left_out(
    shelf: Shelf, holder: UUID, embedder: FakeEmbedder
) -> None:
    """A service whose model was changed behind its name."""
    wide = FakeEmbedder(same=SAME, width=32)
    for _ in range(3):
        put(shelf, embedder, "my car", holder=holder)
    (read,) = put(shelf, wide, "my car", holder=holder)
    assert ask(holder, "automobile", wide) == [read]
    assert len(ask(holder, "automobile", embedder)) == 3
    with use_embedder(FakeEmbedder(width=8)):
        hits = find(holder, "car")
    assert hits.without_meaning
    assert len(hits) == 4


def test_a_model_of_english_is_not_asked_in_chinese(
    shelf: Shelf, holder: UUID, embedder: FakeEmbedder
) -> None:
    english = FakeEmbedder(same=SAME, is_multilingual=False)
    (car,) = put(shelf, english, "my car 汽车", holder=holder)
    assert ask(holder, "automobile", english) == [car]
    english.read.clear()
    with use_embedder(english):
        hits = find(holder, "汽车 automobile")
    assert [hit.item_id for hit in hits] == [car]
    assert hits.without_meaning
    assert english.read == []


def test_when_the_model_fails_it_goes_by_words(
    shelf: Shelf, holder: UUID, embedder: FakeEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    (car,) = put(shelf, embedder, "my car", holder=holder)
    embedder.fails = True
    with use_embedder(embedder):
        hits = find(holder, "car")
    assert [hit.item_id for hit in hits] == [car]
    assert hits.without_meaning
    assert "by words alone" in caplog.text


def test_who_asks_for_words_only_waits_for_no_model(
    shelf: Shelf, holder: UUID, embedder: FakeEmbedder
) -> None:
    put(shelf, embedder, "my car", holder=holder)
    embedder.read.clear()
    with use_embedder(embedder):
        assert find(holder, "car", words_only=True).without_meaning
        assert find(holder, "What do you know?").without_meaning
    assert embedder.read == []


def test_what_may_not_be_seen_is_not_found_by_meaning(
    shelf: Shelf, holder: UUID, embedder: FakeEmbedder
) -> None:
    put(shelf, embedder, "my car", holder=holder)
    with use_embedder(embedder):
        assert found(holder, "automobile", allowed=lambda _ids: []) == []


def test_of_several_holders_each_has_its_own(
    shelf: Shelf, holder: UUID, embedder: FakeEmbedder
) -> None:
    other, third = uuid4(), uuid4()
    put(shelf, embedder, "my car", holder=holder)
    put(shelf, embedder, "a bear", holder=other)
    put(shelf, embedder, "another car", holder=third)
    with use_embedder(embedder):
        hits = retrieve(KIND, [holder, other], "automobile", allowed=everything)
        assert len(hits) == 2
        drop_holder(KIND, holder)
        assert len(retrieve(KIND, [holder, other], "automobile", allowed=everything)) == 1


def matrix(rows: int) -> Matrix:
    ids = np.arange(rows, dtype=np.int64)
    return Matrix(1, ids, np.ones((rows, 4), np.float32), np.ones(rows, np.bool_))


def test_what_is_kept_has_a_bound_and_what_was_asked_last_stays() -> None:
    kept = Kept(3 * matrix(10).size)
    keys = [(number, b"", "fake", 4) for number in range(5)]
    for key in keys[:3]:
        kept.put(key, matrix(10))
    assert kept.get(keys[0]) is not None
    kept.put(keys[3], matrix(10))
    assert [kept.get(key) is not None for key in keys[:4]] == [True, False, True, True]
    kept.put(keys[4], matrix(1_000))  # too large by itself: it drives nobody out
    assert [kept.get(key) is not None for key in keys] == [True, False, True, True, False]
    kept.put(keys[3], matrix(1_000))
    assert kept.get(keys[3]) is None
