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
from documents.search.meaning import Ids, find_cosines, no_cosines, no_ids
from documents.search.scopes import find_scopes
from documents.search.scoring import Frequencies, rarity
from documents.search.stores import find_postings
from documents.search.tokens import is_cjk, terms_of_question
from documents.search.words import Scope

log = logging.getLogger(__name__)

MOST_QUESTION_CHARS = 2_000
MOST_TERMS = 64
_NEIGHBOURS_OF = 100  # the best so many candidates: those beside the others can't win


type Place = tuple[int, int]  # scope and place


class _Row(NamedTuple):
    """Of an entry what is scored: hundreds are read for a question, too many for models."""

    id: int
    scope_id: int
    item_id: UUID
    part: int
    words: str
    length: int
    subject: str
    place: int | None
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
    ids: Ids = field(default_factory=no_ids)  # of the entries that have a meaning, in their order
    meanings: Vectors = field(default_factory=no_cosines)
    cosines: tuple[float, float] = (0.0, 0.0)  # the least and the greatest
    without_meaning: bool = True
    least_cosine: float = 1.0


@dataclass(frozen=True, slots=True)
class Candidate:
    id: int
    scope_id: int
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
    place: int | None

    @property
    def places_beside(self) -> tuple[Place, ...]:
        if self.place is None:
            return ()
        return (self.scope_id, self.place - 1), (self.scope_id, self.place + 1)


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
    ids, weights = _weighed(asked)
    found = {*_greatest(ids, weights, most), *_greatest(asked.ids, asked.meanings, most)}
    return found, ids.size <= most and asked.ids.size <= most


def load(asked: Asked, ids: Iterable[int]) -> list[Candidate]:
    return _candidates(asked, Q(pk__in=list(ids)))


def load_neighbours(asked: Asked, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those right before and after the best, in their sessions."""
    known = {(one.scope_id, one.place) for one in candidates}
    wanted: dict[int, list[int]] = defaultdict(list)
    for one in _best(candidates):
        for scope, place in one.places_beside:
            if (scope, place) not in known:
                wanted[scope].append(place)
    condition = Q()
    for scope, places in wanted.items():
        condition |= Q(scope=scope, place__in=places)
    return _candidates(asked, condition) if wanted else []


def _best(candidates: Sequence[Candidate]) -> list[Candidate]:
    by_words = heapq.nlargest(_NEIGHBOURS_OF, candidates, key=lambda one: (one.by_words, one.id))
    by_meaning = heapq.nlargest(
        _NEIGHBOURS_OF,
        (one for one in candidates if one.meaning is not None),
        key=lambda one: (one.meaning, one.id),
    )
    return list({one.id: one for one in (*by_words, *by_meaning)}.values())


def _weighed(asked: Asked) -> tuple[Ids, Vectors]:
    """Every entry that holds a word of the question, and the weight of those that it holds."""
    postings = [
        (np.array(entries, dtype=np.int64), one.frequencies.weights[word])
        for one in asked.scopes.values()
        for word, entries in one.postings.items()
    ]
    ids = np.concatenate([entries for entries, _weight in postings])
    weights = np.concatenate([np.full(entries.size, weight) for entries, weight in postings])
    distinct, places = np.unique(ids, return_inverse=True)
    return distinct, np.bincount(places, weights=weights).astype(np.float32)


def _greatest(ids: Ids, values: Vectors, most: int) -> list[int]:
    """The ids of the greatest values; of equal ones the newer."""
    order = np.lexsort((ids, values))[::-1]
    return [int(id_) for id_ in ids[order[:most]]]


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
    scopes = [one.scope for one in asked.scopes.values()]
    found = [find_cosines(one.id, one.salt, embedder.name, vector) for one in scopes]
    ids = np.concatenate([of_scope[0] for of_scope in found])
    cosines = np.concatenate([of_scope[1] for of_scope in found])
    if not ids.size:
        return
    order = np.argsort(ids)
    asked.ids, asked.meanings = ids[order], cosines[order]
    asked.cosines = float(cosines.min()), float(cosines.max())
    asked.without_meaning = False
    asked.least_cosine = embedder.least_cosine


def _meaning_of(asked: Asked, entry_id: int) -> float | None:
    at = int(np.searchsorted(asked.ids, entry_id))
    if at == asked.ids.size or asked.ids[at] != entry_id:
        return None
    return float(asked.meanings[at])


def _candidates(asked: Asked, condition: Q) -> list[Candidate]:
    rows = SearchEntry.objects.filter(condition, scope__in=list(asked.scopes))
    return [_candidate(asked, _Row(*row)) for row in rows.values_list(*_Row._fields)]


def _candidate(asked: Asked, row: _Row) -> Candidate:
    scope = asked.scopes[row.scope_id]
    words = row.words.split(" ")
    has = scope.asked.keys() & set(words)
    return Candidate(
        id=row.id,
        scope_id=row.scope_id,
        item_id=row.item_id,
        part=row.part,
        start=row.start,
        end=row.end,
        by_words=scope.frequencies.score(words, row.length) if has else 0.0,
        matched={word: typed for word, typed in scope.asked.items() if word in has},
        coverage=scope.frequencies.coverage(has) if has else 0.0,
        meaning=_meaning_of(asked, row.id),
        subject=row.subject,
        importance=row.importance,
        happened_at=row.happened_at,
        place=row.place,
    )
