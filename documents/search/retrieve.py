"""The one retrieval: which parts of which items answer a question, best first, and why.

Candidates come from the word index and from the vectors, of the given holders' scopes alone. The
caller says which of them the person may see now: what it does not name is not read any further.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import overload
from uuid import UUID

from django.utils import timezone

from documents.search.candidates import (
    Asked,
    Candidate,
    Place,
    ask,
    find_candidates,
    load,
    load_neighbours,
)
from documents.search.scoring import CJK_WEIGHTS, WEIGHTS, Weights, recency, scaled
from documents.search.tokens import is_cjk

MOST = 100
LEAST_COVERAGE = 0.3  # of the question's weight: less is no reason to answer by words alone
_DEPTHS = (200, 1_000, 5_000)  # more only where the person may not see most of the first

type Allowed = Callable[[Sequence[UUID]], Collection[UUID]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    item_id: UUID
    part: int
    start: int
    end: int
    score: float
    words: tuple[str, ...]  # of the question, as they were typed
    coverage: float  # which share of the question's weight they are, 0 to 1
    meaning: float | None  # the cosine; None: not read by this model, or there is none
    is_evidence: bool  # on its own account, not only by what stands beside it


@dataclass(frozen=True, slots=True)
class Hits(Sequence[Hit]):
    hits: tuple[Hit, ...] = ()
    without_meaning: bool = True  # words alone: no model, or it failed

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, index: int | slice) -> Hit | tuple[Hit, ...]:
        return self.hits[index]

    def __len__(self) -> int:
        return len(self.hits)


@dataclass(slots=True)
class _Scored:
    candidate: Candidate
    own: float = 0.0  # words and meaning
    total: float = 0.0


def retrieve(
    kind: str,
    holders: Sequence[UUID],
    question: str,
    *,
    allowed: Allowed,
    limit: int = 6,
    parts_of_item: int = 1,
    weights: Weights | None = None,
    now: datetime | None = None,
    words_only: bool = False,
) -> Hits:
    """Nothing for a question that names nothing, such as "what do you know?".

    With an embedding service it may wait for that: not to be called in a transaction, unless
    `words_only`.
    """
    asked = ask(kind, holders, question, words_only=words_only)
    if asked is None:
        return Hits()
    limit = min(max(limit, 0), MOST)
    candidates = _allowed_candidates(asked, allowed, limit)
    chosen = weights or (CJK_WEIGHTS if is_cjk(question) else WEIGHTS)
    scored = _score(asked, candidates, chosen, now or timezone.now())
    best = _best_parts(scored, limit, parts_of_item)
    return Hits(tuple(_hit(asked, one) for one in best), asked.without_meaning)


def _allowed_candidates(asked: Asked, allowed: Allowed, limit: int) -> list[Candidate]:
    kept: list[Candidate] = []
    for depth in _DEPTHS:
        found, is_all = find_candidates(asked, depth)
        kept = _kept(load(asked, found), allowed)
        if is_all or len({one.item_id for one in kept}) >= limit:
            break
    beside = _kept(load_neighbours(asked, kept), allowed)
    known = {one.id for one in kept}
    return kept + [one for one in beside if one.id not in known]


def _kept(candidates: list[Candidate], allowed: Allowed) -> list[Candidate]:
    """Asked even for nothing: what it costs is the same for every question."""
    may = set(allowed(list({one.item_id for one in candidates})))
    return [one for one in candidates if one.item_id in may]


def _score(
    asked: Asked, candidates: list[Candidate], weights: Weights, now: datetime
) -> list[_Scored]:
    most = max((one.by_words for one in candidates), default=0.0)
    with_meaning = not asked.without_meaning
    of_words = weights.words if with_meaning else weights.words + weights.meaning
    scored = [_Scored(one) for one in candidates]
    for one in scored:
        one.own = of_words * scaled(one.candidate.by_words, 0.0, most)
        if with_meaning and one.candidate.meaning is not None:
            low, high = asked.cosines
            one.own += weights.meaning * scaled(one.candidate.meaning, low, high)
    own = _own_by_place(scored)
    named = _named_subjects(asked, candidates)
    for one in scored:
        candidate = one.candidate
        beside = max((own.get(place, 0.0) for place in candidate.places_beside), default=0.0)
        one.total = (
            one.own
            + weights.neighbour * beside
            + weights.subject * (candidate.subject in named)
            + weights.importance * candidate.importance
            + weights.recency * recency(candidate.happened_at, now)
        )
    return scored


def _own_by_place(scored: Iterable[_Scored]) -> dict[Place, float]:
    """Of several in one place the best."""
    own: dict[Place, float] = {}
    for one in scored:
        if one.candidate.place is not None:
            place = one.candidate.scope_id, one.candidate.place
            own[place] = max(one.own, own.get(place, 0.0))
    return own


def _named_subjects(asked: Asked, candidates: Iterable[Candidate]) -> set[str]:
    """Of each scope the one whose words all stand in the question; where several do, none."""
    named: dict[int, set[str]] = {}
    for one in candidates:
        words = asked.scopes[one.scope_id].asked.keys()
        if one.subject and words >= set(one.subject.split()):
            named.setdefault(one.scope_id, set()).add(one.subject)
    return {subject for of_scope in named.values() if len(of_scope) == 1 for subject in of_scope}


def _best_parts(scored: list[_Scored], limit: int, parts_of_item: int) -> list[_Scored]:
    scored.sort(
        key=lambda one: (-one.total, -one.candidate.happened_at.timestamp(), one.candidate.id)
    )
    counted: dict[UUID, int] = {}
    return [one for one in scored if _takes(one, counted, limit, parts_of_item)]


def _takes(one: _Scored, counted: dict[UUID, int], limit: int, parts_of_item: int) -> bool:
    item_id = one.candidate.item_id
    if item_id not in counted and len(counted) == limit:
        return False
    counted[item_id] = counted.get(item_id, 0) + 1
    return counted[item_id] <= parts_of_item


def _hit(asked: Asked, one: _Scored) -> Hit:
    candidate = one.candidate
    meaning = candidate.meaning
    alike = meaning is not None and meaning >= asked.least_cosine
    return Hit(
        item_id=candidate.item_id,
        part=candidate.part,
        start=candidate.start,
        end=candidate.end,
        score=round(one.total, 4),
        words=tuple(dict.fromkeys(candidate.matched.values())),
        coverage=round(candidate.coverage, 4),
        meaning=None if meaning is None else round(meaning, 4),
        is_evidence=alike or candidate.coverage >= LEAST_COVERAGE,
    )
