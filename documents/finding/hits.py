"""What the index answers to a search of one person's documents."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from config.base.models import User
from documents.models import Document, DocumentQuerySet
from documents.search.retrieve import LEAST_COVERAGE, MOST, Hit, retrieve
from documents.search_sources import KIND
from documents.texts import clean_search

_NEAR_BEST = 0.5  # with less of the question's words than half of the best it is another matter


@dataclass(frozen=True, slots=True)
class Found:
    """For one search; it is asked once for all that a page shows of it."""

    q: str = ""
    hits: dict[UUID, Hit] = field(default_factory=dict)  # best first
    without_meaning: bool = True


def find_hits(
    user: User,
    q: str,
    *,
    type: str = "",  # noqa: A002  (the field's name)
    tag: str = "",
) -> Found:
    """Raises `InvalidInput` on a search that is too long."""
    q = clean_search(q)
    if not q:
        return Found()
    mine = narrowed(user, type=type, tag=tag)

    def allowed(ids: Sequence[UUID]) -> Collection[UUID]:
        return mine.filter(pk__in=ids).values_list("pk", flat=True)

    hits = retrieve(KIND, [user.pk], q, allowed=allowed, limit=MOST)
    evidence = [hit for hit in hits if hit.is_evidence]
    best = max((hit.coverage for hit in evidence), default=0.0)
    kept = [hit for hit in evidence if by_meaning(hit) or hit.coverage >= _NEAR_BEST * best]
    return Found(q, {hit.item_id: hit for hit in kept}, hits.without_meaning)


def by_meaning(hit: Hit) -> bool:
    """Not by its words: those alone would be no reason."""
    return hit.is_evidence and hit.coverage < LEAST_COVERAGE


def narrowed(user: User, *, type: str = "", tag: str = "") -> DocumentQuerySet:  # noqa: A002
    documents = Document.objects.for_user(user)
    if type:
        documents = documents.filter(type=type)
    if tag := clean_search(tag):
        documents = documents.filter(tags_text__contains=f"\n{tag.casefold()}\n")
    return documents
