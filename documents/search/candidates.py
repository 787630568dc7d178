"""A question as the index understands it, and the entries that may answer it."""

import heapq
import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import numpy as np
from django.db.models import Count, Q, Sum

from documents.models import SearchEntry
from documents.search.embedders import Embedder, EmbedderFailed, get_embedder
from documents.search.embedders.protocol import Vectors
from documents.search.meaning import find_cosines
from documents.search.scopes import find_scopes
from documents.search.scoring import Frequencies, rarity
from documents.search.stores import find_postings
from documents.search.tokens import is_cjk, terms_of_question
from documents.search.words import Scope

log = logging.getLogger(__name__)

MOST_QUESTION_CHARS = 2_000
MOST_TERMS = 64
_NEIGHBOURS_OF = 100  # the best so many candidates: those beside the others can't win

type Place = tuple[int, UUID, int]  # scope, session, position


class _Row(NamedTuple):
    """Of an entry what is scored: hundreds are read for a question, too many for models."""

    id: int
    scope_id: int
    item_id: UUID
    part: int
    words: str
    length: int
    subject: str
    session_id: UUID | None
    position: int
    importance: float
    happened_at: datetime
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class InScope:
    """What is asked of one scope, in its own words."""

    scope: Scope
    asked: dict[str, str]  # by word, what was typed
    postings: dict[str, list[int]]
    frequencies: Frequencies


@dataclass(slots=True)
class Asked:
    scopes: dict[int, InScope]
    meanings: dict[int, float] = field(default_factory=dict)  # by entry
    cosines: tuple[float, float] = (0.0, 0.0)  # the least and the greatest
    without_meaning: bool = True
    least_cosine: float = 1.0

    @property
    def words(self) -> set[str]:
        return {word for scope in self.scopes.values() for word in scope.asked}


@dataclass(frozen=True, slots=True)
class Candidate:
    id: int
    item_id: UUID
    part: int
    start: int
    end: int
    by_words: float
    matched: dict[str, str]  # by word, what was typed
    coverage: float
    meaning: float | None
    subject: str
    importance: float
    happened_at: datetime
    place: Place | None

    @property
    def places_beside(self) -> tuple[Place, ...]:
        if self.place is None:
            return ()
        scope, session, position = self.place
        return (scope, session, position - 1), (scope, session, position + 1)


def ask(
    kind: str, holders: Sequence[UUID], question: str, *, words_only: bool = False
) -> Asked | None:
    """None: nothing is asked for in particular, or there is nothing to be asked."""
    question = question[:MOST_QUESTION_CHARS]
    terms = dict(list(terms_of_question(question).items())[:MOST_TERMS])
    scopes = find_scopes(kind, holders) if terms else []
    if not scopes:
        return None
    asked = Asked({scope.id: _in_scope(scope, terms) for scope in scopes})
    embedder = None if words_only else get_embedder()
    if embedder is not None and (embedder.is_multilingual or not is_cjk(question)):
        _add_meaning(asked, embedder, question)
    return asked


def find_candidates(asked: Asked, most: int) -> tuple[set[int], bool]:
    """So many by words and so many by meaning; whether there are no more."""
    weights: dict[int, float] = defaultdict(float)
    for one in asked.scopes.values():
        for word, entries in one.postings.items():
            weight = one.frequencies.weights[word]
            for entry_id in entries:
                weights[entry_id] += weight
    by_words = heapq.nlargest(most, weights, key=lambda id_: (weights[id_], id_))
    meanings = asked.meanings
    by_meaning = heapq.nlargest(most, meanings, key=lambda id_: (meanings[id_], id_))
    is_all = len(weights) <= most and len(meanings) <= most
    return {*by_words, *by_meaning}, is_all


def load(asked: Asked, ids: Iterable[int]) -> list[Candidate]:
    return _candidates(asked, Q(pk__in=list(ids)))


def load_neighbours(asked: Asked, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those right before and after the best, in their sessions."""
    best = heapq.nlargest(
        _NEIGHBOURS_OF, candidates, key=lambda one: (one.by_words, one.meaning or 0.0, one.id)
    )
    if asked.meanings:
        by_meaning = heapq.nlargest(
            _NEIGHBOURS_OF, candidates, key=lambda one: (one.meaning or 0.0, one.id)
        )
        best = list({one.id: one for one in [*best, *by_meaning]}.values())
    known = {one.place for one in candidates}
    wanted: dict[tuple[int, UUID], set[int]] = defaultdict(set)
    for one in best:
        for place in one.places_beside:
            if place not in known:
                wanted[place[0], place[1]].add(place[2])
    condition = Q()
    for (scope, session), positions in wanted.items():
        condition |= Q(scope=scope, session_id=session, position__in=positions)
    return _candidates(asked, condition) if wanted else []


def _in_scope(scope: Scope, terms: dict[str, str]) -> InScope:
    asked = {scope.word(term): typed for term, typed in terms.items()}
    postings = find_postings(list(asked))
    of_scope = SearchEntry.objects.filter(scope=scope.id)
    counted = of_scope.aggregate(entries=Count("pk"), words=Sum("length"))
    entries = counted["entries"]
    weights = {word: rarity(entries, len(ids)) for word, ids in postings.items()}
    average = (counted["words"] or 0) / entries if entries else 0.0
    return InScope(scope, asked, postings, Frequencies(entries, average, weights))


def _add_meaning(asked: Asked, embedder: Embedder, question: str) -> None:
    try:
        vector = embedder.embed_question(question)
    except EmbedderFailed as error:
        log.warning("A search goes by words alone: %s", error)
        return
    found = [_cosines(one.scope, embedder, vector) for one in asked.scopes.values()]
    ids = np.concatenate([of_scope[0] for of_scope in found])
    cosines = np.concatenate([of_scope[1] for of_scope in found])
    if not ids.size:
        return
    asked.meanings = dict(zip(ids.tolist(), cosines.tolist(), strict=True))
    asked.cosines = float(cosines.min()), float(cosines.max())
    asked.without_meaning = False
    asked.least_cosine = embedder.least_cosine


def _cosines(scope: Scope, embedder: Embedder, vector: Vectors):  # type: ignore[no-untyped-def]
    return find_cosines(scope.id, scope.salt, embedder.name, vector)


def _candidates(asked: Asked, condition: Q) -> list[Candidate]:
    rows = SearchEntry.objects.filter(condition, scope__in=list(asked.scopes))
    return [_candidate(asked, _Row(*row)) for row in rows.values_list(*_Row._fields)]


def _candidate(asked: Asked, row: _Row) -> Candidate:
    scope = asked.scopes[row.scope_id]
    words = row.words.split(" ")
    has = scope.asked.keys() & set(words)
    place = (row.scope_id, row.session_id, row.position) if row.session_id else None
    return Candidate(
        id=row.id,
        item_id=row.item_id,
        part=row.part,
        start=row.start,
        end=row.end,
        by_words=scope.frequencies.score(words, row.length) if has else 0.0,
        matched={word: typed for word, typed in scope.asked.items() if word in has},
        coverage=scope.frequencies.coverage(has) if has else 0.0,
        meaning=asked.meanings.get(row.id),
        subject=row.subject,
        importance=row.importance,
        happened_at=row.happened_at,
        place=place,
    )
