"""Which documents match a search, and in which order: what the index found, and what stands in them
literally, such as a part of a word or of a name in code.
"""

from uuid import UUID

from django.db.models import Case, FloatField, Q, Value, When
from django.db.models.expressions import Combinable

from documents.finding.hits import Found
from documents.models import DocumentQuerySet

MAX_SEARCH_WORDS = 10
_SEARCHED = ("title", "summary", "content", "tags_text")
# Added to a hit's score, which is seldom above 2.
_EXACT, _IN_TITLE, _IN_CARD, _LITERALLY = 8.0, 1.0, 0.5, 0.25


def matching(documents: DocumentQuerySet, found: Found) -> DocumentQuerySet:
    if not found.q:
        return documents
    return documents.filter(
        all_words(found.q, *_SEARCHED) | Q(pk__in=list(found.hits)) | _is_named(found.q)
    )


def best_first(documents: DocumentQuerySet, found: Found) -> DocumentQuerySet:
    """The order is total; without a search the newest are the best."""
    if not found.q:
        return documents.order_by("-updated_at", "-pk")
    score = _score(found) + _bonus(found.q)
    return documents.order_by(score.desc(), "-updated_at", "-pk")


def all_words(q: str, *fields: str) -> Q:
    """Each word stands in one of the fields."""
    condition = Q()
    for word in q.split()[:MAX_SEARCH_WORDS]:
        anywhere = Q()
        for name in fields:
            anywhere |= Q(**{f"{name}__icontains": word})
        condition &= anywhere
    return condition


def _is_named(q: str) -> Q:
    """By its id, or its whole title."""
    named = Q(title__iexact=q)
    key = _key(q)
    return named | Q(pk=key) if key else named


def _key(q: str) -> UUID | None:
    try:
        return UUID(q)
    except ValueError:
        return None


def _score(found: Found) -> Combinable:
    scores = [When(pk=key, then=Value(hit.score)) for key, hit in found.hits.items()]
    return Case(*scores, default=Value(0.0), output_field=FloatField())


def _bonus(q: str) -> Case:
    return Case(
        When(_is_named(q), then=Value(_EXACT)),
        When(all_words(q, "title"), then=Value(_IN_TITLE)),
        When(all_words(q, "title", "summary", "tags_text"), then=Value(_IN_CARD)),
        When(all_words(q, *_SEARCHED), then=Value(_LITERALLY)),
        default=Value(0.0),
        output_field=FloatField(),
    )
