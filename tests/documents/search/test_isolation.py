"""What one holder has is nothing to another: not in an answer, not in a score."""

from collections import defaultdict
from dataclasses import dataclass, field
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from documents.search.index import drop_holder, drop_item, put_entries
from documents.search.retrieve import Hit, retrieve
from documents.search.testing import FakeEmbedder, Shelf, use_embedder, use_shelf
from jobs.services import enqueue
from jobs.testing import run_due_jobs
from tests.documents.search.making import THEN, everything, make_item

pytestmark = [pytest.mark.django_db, pytest.mark.both]

KINDS = ("test", "other")
HOLDERS = [UUID(int=number + 1) for number in range(3)]
WORDS = ("kite", "whale", "bear", "北京", "May", "2023", "Alice")

type Act = tuple[str, tuple[str, UUID], int, list[str]]

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
owners = st.tuples(st.sampled_from(KINDS), st.sampled_from(HOLDERS))
acts: st.SearchStrategy[Act] = st.one_of(
    st.tuples(st.just("put"), owners, st.integers(0, 5), st.lists(texts, max_size=3)),
    st.tuples(st.just("drop"), owners, st.integers(0, 5), st.just(list[str]())),
    st.tuples(st.just("leave"), owners, st.just(0), st.just(list[str]())),
)
histories = st.lists(acts, min_size=1, max_size=12)


@dataclass
class World:
    """What everybody has, kept in the plainest way beside the index."""

    shelves: dict[str, Shelf]
    owner_of: dict[tuple[str, UUID], UUID] = field(default_factory=dict)
    ids: dict[tuple[str, int], UUID] = field(default_factory=lambda: defaultdict(uuid4))

    def play(self, act: Act) -> None:
        name, (kind, holder), number, parts = act
        id_ = self.ids[kind, number]
        if name == "put":
            item = make_item(
                holder, *parts, kind=kind, id=id_, session_id=UUID(int=9), position=3 * number
            )
            put_entries(item)
            self.shelves[kind].kept[id_] = item
            self.owner_of[kind, id_] = holder
        elif name == "drop":
            drop_item(kind, id_)
            self._forget(kind, id_)
        else:
            drop_holder(kind, holder)
            for known, owner in list(self.owner_of.items()):
                if known[0] == kind and owner == holder:
                    self._forget(*known)

    def _forget(self, kind: str, id_: UUID) -> None:
        self.owner_of.pop((kind, id_), None)
        self.shelves[kind].kept.pop(id_, None)


def played(history: list[Act], shelves: dict[str, Shelf]) -> World:
    world = World(shelves)
    for act in history:
        world.play(act)
    enqueue("search.embed_missing", {}, actor=None)
    run_due_jobs()
    return world


def ask(kind: str, holders: list[UUID], question: str, *, words_only: bool = False) -> list[Hit]:
    hits = retrieve(
        kind, holders, question, allowed=everything, limit=50, now=THEN, words_only=words_only
    )
    return list(hits)


property_test = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@property_test
@given(histories, texts, owners, st.booleans())
def test_no_answer_is_of_another_holder_or_kind(
    db: None, history: list[Act], question: str, asker: tuple[str, UUID], words_only: bool
) -> None:
    kind, holder = asker
    with use_shelf("test") as one, use_shelf("other") as other, use_embedder(FakeEmbedder()):
        world = played(history, {"test": one, "other": other})
        for hit in ask(kind, [holder], question, words_only=words_only):
            item = world.shelves[kind].kept[hit.item_id]
            assert world.owner_of[kind, hit.item_id] == holder
            assert hit.part < len(item.parts)
        drop_all()


@property_test
@given(histories, histories, texts)
def test_no_score_depends_on_what_others_have(
    db: None, mine: list[Act], theirs: list[Act], question: str
) -> None:
    me, others = HOLDERS[0], HOLDERS[1:]
    own = [(name, ("test", me), number, parts) for name, _owner, number, parts in mine]
    foreign = [
        (name, (kind, others[number % 2]), number + 10, parts)
        for name, (kind, _holder), number, parts in theirs
    ]
    with use_shelf("test") as one, use_shelf("other") as other, use_embedder(FakeEmbedder()):
        world = played(own, {"test": one, "other": other})
        alone = ask("test", [me], question)
        for act in foreign:
            world.play(act)
        enqueue("search.embed_missing", {}, actor=None)
        run_due_jobs()
        assert ask("test", [me], question) == alone
        drop_all()


def drop_all() -> None:
    """Examples share the test's transaction."""
    for kind in KINDS:
        for holder in HOLDERS:
            drop_holder(kind, holder)
