"""What answers a question, in which order: the same on both databases."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from documents.models import SearchEntry
from documents.search.index import make_entries
from documents.search.items import Item
from documents.search.retrieve import MOST, Hits, retrieve
from documents.search.scopes import lock_scope
from documents.search.testing import Shelf
from tests.documents.search.making import KIND, THEN, everything, find, found, make_item

pytestmark = [pytest.mark.django_db, pytest.mark.both]

LIBRARY = (
    "The boiler is serviced every October by Jansen.",
    "Jansen's number is on the fridge.",
    "We repainted the kitchen in a light green.",
    "The kitchen tap drips when the boiler is on.",
    "厨房的水龙头在滴水",
    "锅炉每年十月保养",
    "Green tea is in the upper cupboard.",
    "The upper floor has its own fuse box.",
)
ANSWERS = {
    "When is the boiler serviced?": [0, 3],
    "kitchen": [2, 3],
    "light green kitchen": [2, 6, 3],
    "Who is Jansen?": [1, 0],
    "锅炉什么时候保养": [5],
    "厨房": [4],
    "upper floor": [7, 6],
    "submarine": [],
}


def ids(hits: Hits) -> list[UUID]:
    return [hit.item_id for hit in hits]


@pytest.fixture
def library(shelf: Shelf, holder: UUID) -> dict[UUID, int]:
    items = [make_item(holder, text) for text in LIBRARY]
    shelf.put(*items)
    return {item.id: number for number, item in enumerate(items)}


@pytest.mark.parametrize("question", ANSWERS)
def test_the_best_answer_comes_first(question: str, library: dict[UUID, int], holder: UUID) -> None:
    assert [library[id_] for id_ in found(holder, question)] == ANSWERS[question]


def test_scores_are_the_same_wherever_they_are_counted(
    library: dict[UUID, int], holder: UUID
) -> None:
    hits = find(holder, "light green kitchen")
    assert [(hit.score, hit.coverage) for hit in hits] == [
        (1.01, 1.0),
        (0.3073, 0.2942),
        (0.3012, 0.2942),
    ]


def test_a_hit_says_why(shelf: Shelf, holder: UUID) -> None:
    shelf.put(make_item(holder, "nothing of it", "The boiler was SERVICED"))
    (hit,) = find(holder, "Which boilers need a service?")
    assert (hit.part, hit.words, hit.meaning) == (1, ("boilers", "service"), None)
    assert hit.is_evidence
    assert 0 < hit.coverage < 1


def test_little_of_a_question_is_no_evidence(shelf: Shelf, holder: UUID) -> None:
    shelf.put(make_item(holder, "the boiler"), *[make_item(holder, "a boiler") for _ in range(9)])
    hits = find(holder, "boiler submarine periscope torpedo")
    assert hits
    assert not any(hit.is_evidence for hit in hits)


@pytest.mark.parametrize("question", ["", "  ", "?", "What do you know?", "你记得什么", "x" * 65])
def test_a_question_that_names_nothing_is_not_answered(
    question: str, library: dict[UUID, int], holder: UUID
) -> None:
    hits = find(holder, question)
    assert list(hits) == []
    assert hits.without_meaning


@pytest.mark.parametrize(
    "question",
    ["'", '"', "boiler' OR 1=1 --", "boiler\x00", "NEAR(boiler)", "\ud800 boiler", "%s boiler"],
)
def test_no_question_is_a_query(question: str, library: dict[UUID, int], holder: UUID) -> None:
    assert [library[id_] for id_ in found(holder, question)] in ([], [0, 3])


def test_a_question_of_a_megabyte_is_answered(library: dict[UUID, int], holder: UUID) -> None:
    assert found(holder, "boiler " + "word " * 200_000)
    assert found(holder, "锅炉" * 500_000)


def test_there_are_no_more_than_asked_for(shelf: Shelf, holder: UUID) -> None:
    shelf.put(*[make_item(holder, "a red kite") for _ in range(MOST + 5)])
    for limit, count in [(-1, 0), (0, 0), (1, 1), (6, 6), (10_000, MOST)]:
        assert len(find(holder, "kite", limit=limit)) == count


def test_of_an_item_as_many_parts_as_asked_for(shelf: Shelf, holder: UUID) -> None:
    one = make_item(holder, "kite one", "kite two", "kite three")
    other = make_item(holder, "a kite of another kind")
    shelf.put(one, other)
    by_item = find(holder, "kite", limit=2, parts_of_item=2)
    assert sorted(ids(by_item)) == sorted([one.id, one.id, other.id])
    assert len(find(holder, "kite", limit=1, parts_of_item=9)) == 3
    assert len(find(holder, "kite")) == 2


def test_several_holders_are_asked_at_once(shelf: Shelf) -> None:
    alice, team, bob = uuid4(), uuid4(), uuid4()
    items = [make_item(whose, "a red kite") for whose in (alice, team, bob)]
    shelf.put(*items)
    hits = retrieve(KIND, [alice, team, alice], "kite", allowed=everything)
    assert sorted(ids(hits)) == sorted(item.id for item in items[:2])
    assert list(retrieve(KIND, [], "kite", allowed=everything)) == []
    assert list(retrieve(KIND, [uuid4()], "kite", allowed=everything)) == []


def test_what_ties_stands_newest_first_and_then_as_it_came(shelf: Shelf, holder: UUID) -> None:
    same = [make_item(holder, "a red kite") for _ in range(8)]
    shelf.put(*same)
    assert found(holder, "kite", limit=8) == [item.id for item in same]
    assert found(holder, "kite", limit=3) == [item.id for item in same[:3]]


def test_the_newer_of_two_that_say_the_same_comes_first(shelf: Shelf, holder: UUID) -> None:
    old = make_item(holder, "a red kite", happened_at=THEN - timedelta(days=400))
    new = make_item(holder, "a red kite", happened_at=THEN - timedelta(days=3))
    shelf.put(new, old)
    assert found(holder, "kite") == [new.id, old.id]


def test_the_more_important_of_two_comes_first(shelf: Shelf, holder: UUID) -> None:
    plain, important = make_item(holder, "a kite"), make_item(holder, "a kite", importance=1.0)
    shelf.put(plain, important)
    assert found(holder, "kite") == [important.id, plain.id]


def test_whom_it_is_about_counts(shelf: Shelf, holder: UUID) -> None:
    melanie = make_item(holder, "I sold a painting", subject="Melanie")
    caroline = make_item(holder, "I sold a painting to Melanie once", subject="Caroline")
    shelf.put(caroline, melanie)
    assert found(holder, "Which painting did Melanie sell?")[0] == melanie.id


def test_of_two_that_are_named_neither_counts(shelf: Shelf, holder: UUID) -> None:
    one = make_item(holder, "a painting", subject="Melanie")
    other = make_item(holder, "a painting", subject="Caroline")
    shelf.put(one, other)
    first, second = find(holder, "the painting of Melanie and Caroline")
    assert first.score == second.score


def test_a_subject_is_known_in_each_scope_by_itself(shelf: Shelf) -> None:
    holders = [uuid4(), uuid4()]
    for whose in holders:
        shelf.put(make_item(whose, "a painting", subject="Melanie"))
    hits = retrieve(KIND, holders, "Melanie's painting", allowed=everything, now=THEN)
    assert [hit.score for hit in hits] == [1.21, 1.21]


def test_what_was_said_beside_it_counts(shelf: Shelf, holder: UUID) -> None:
    session = uuid4()
    talk = [
        make_item(holder, text, session_id=session, position=position)
        for position, text in enumerate(["Hello!", "Where did you buy it?", "In Utrecht.", "Bye"])
    ]
    shelf.put(*talk)
    assert found(holder, "Where did you buy it?")[:3] == [talk[1].id, talk[0].id, talk[2].id]
    assert talk[3].id not in found(holder, "Where did you buy it?")


def test_beside_is_in_the_same_session_only(shelf: Shelf, holder: UUID) -> None:
    said = make_item(holder, "a red kite", session_id=uuid4(), position=4)
    elsewhere = make_item(holder, "Hello", session_id=uuid4(), position=5)
    nowhere = make_item(holder, "Hello", position=5)
    shelf.put(said, elsewhere, nowhere)
    assert found(holder, "kite") == [said.id]


def test_the_better_of_several_in_one_place_counts(shelf: Shelf, holder: UUID) -> None:
    session = uuid4()
    beside = make_item(holder, "Hello", session_id=session, position=1)
    good = make_item(holder, "kite kite", session_id=session, position=0)
    poor = make_item(
        holder, "a kite, and much more was said about it", session_id=session, position=0
    )
    for order in ([good, poor], [poor, good]):
        for item in order:
            shelf.drop(item.id)
        shelf.put(*order, beside)
        scores = {hit.item_id: hit.score for hit in find(holder, "kite")}
        assert scores[beside.id] == pytest.approx(0.6 * (scores[good.id] - 0.01) + 0.01, abs=0.001)


class Allowed:
    """Says what may be seen, and remembers what it was asked."""

    def __init__(self, *may: UUID) -> None:
        self.may = set(may)
        self.asked: set[UUID] = set()

    def __call__(self, asked: Sequence[UUID]) -> list[UUID]:
        self.asked |= set(asked)
        return [id_ for id_ in asked if id_ in self.may]


def test_what_may_not_be_seen_is_no_answer(shelf: Shelf, holder: UUID) -> None:
    mine, theirs = make_item(holder, "a kite"), make_item(holder, "a red kite")
    shelf.put(mine, theirs)
    assert found(holder, "red kite", allowed=Allowed(mine.id)) == [mine.id]
    assert found(holder, "red kite", allowed=Allowed()) == []


def test_nor_does_it_come_in_beside_another(shelf: Shelf, holder: UUID) -> None:
    session = uuid4()
    talk = [
        make_item(holder, t, session_id=session, position=n) for n, t in enumerate(["a kite", "Hi"])
    ]
    shelf.put(*talk)
    allowed = Allowed(talk[0].id)
    assert found(holder, "kite", allowed=allowed) == [talk[0].id]
    assert talk[1].id in allowed.asked


def test_nor_does_it_lift_what_stands_beside_it(shelf: Shelf, holder: UUID) -> None:
    session = uuid4()
    talk = [
        make_item(holder, t, session_id=session, position=n) for n, t in enumerate(["a kite", "Hi"])
    ]
    shelf.put(*talk)
    assert found(holder, "kite", allowed=Allowed(talk[1].id)) == []


def test_what_is_answered_beyond_what_was_asked_is_left_out(shelf: Shelf, holder: UUID) -> None:
    one, other = make_item(holder, "a kite"), make_item(holder, "a whale")
    shelf.put(one, other)
    assert found(holder, "kite", allowed=lambda _ids: [one.id, other.id]) == [one.id]


def put_quickly(holder: UUID, items: list[Item]) -> None:
    scope = lock_scope(KIND, holder)
    SearchEntry.objects.bulk_create(entry for item in items for entry in make_entries(scope, item))


def test_the_only_one_of_thousands_that_may_be_seen_is_found(shelf: Shelf, holder: UUID) -> None:
    items = [make_item(holder, "red kite " * 3) for _ in range(3_000)]
    seen = make_item(holder, "a kite, among very many other words that say nothing of the colour")
    put_quickly(holder, [*items[:1_500], seen, *items[1_500:]])
    assert found(holder, "red kite", allowed=Allowed(seen.id)) == [seen.id]


def test_words_of_the_date_are_found(shelf: Shelf, holder: UUID) -> None:
    may = make_item(holder, "We met")
    june = make_item(holder, "We met", happened_at=THEN + timedelta(days=31))
    shelf.put(june, may)
    assert found(holder, "Whom did we meet in May 2023?")[0] == may.id
    assert found(holder, "2023年6月见了谁")[0] == june.id


def test_hits_are_read_like_a_list(library: dict[UUID, int], holder: UUID) -> None:
    hits = find(holder, "kitchen")
    assert (hits[0], hits[-1]) == tuple(hits[:2])
    assert len(hits) == 2
    assert bool(hits)
