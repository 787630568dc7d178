"""Which passages answer a question, and what each is cited as."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.urls import reverse
from django.utils.safestring import SafeString

from config.base.models import User
from documents.finding.marking import Marker
from documents.knowledge.indexing import KIND
from documents.models import KnowledgeSpace, Resource, ResourcePassage, ResourceQuerySet
from documents.search.retrieve import Hit, retrieve

USUAL = 6
MOST = 20
PASSAGES_OF_A_FILE = 4
QUOTE_CHARS = 300

_BLANK = re.compile(r"\s")
_OWN_HEADING = re.compile(r"\A#{1,6} [^\n]*\n\s*(?=\S)")


@dataclass(frozen=True, slots=True)
class Cited:
    """A passage that answers, and why it does."""

    passage: ResourcePassage
    hit: Hit

    @property
    def resource(self) -> Resource:
        return self.passage.resource

    @property
    def address(self) -> str:
        return address_of(self.passage)

    @property
    def quote(self) -> str:
        """Without the line of its heading, which stands beside it."""
        text = self.passage.text
        without = _OWN_HEADING.sub("", text) if self.passage.heading else text
        return quote_of(without, self.hit.words)

    @property
    def quote_html(self) -> SafeString:
        return Marker(" ".join(self.hit.words)).html(self.quote)


@dataclass(frozen=True, slots=True)
class Found:
    cited: tuple[Cited, ...] = ()
    without_meaning: bool = True

    @property
    def shown(self) -> tuple[Cited, ...]:
        """On a page: what answers; where nothing does, what comes nearest."""
        return self.evidence or self.cited

    @property
    def evidence(self) -> tuple[Cited, ...]:
        """What answers on its own account, not what only stands beside it or shares a word."""
        return tuple(one for one in self.cited if one.hit.is_evidence)


def search_passages(
    user: User,
    question: str,
    *,
    spaces: Sequence[UUID] | None = None,
    resources: ResourceQuerySet | None = None,
    limit: int = USUAL,
) -> Found:
    """Of the spaces that they may read now: all, or those of `spaces`; of `resources` alone if
    given. Not to be called in a transaction: it may wait for an embedding service.
    """
    readable = KnowledgeSpace.objects.for_user(user)
    if spaces is not None:
        readable = readable.filter(pk__in=spaces)
    holders = list(readable.values_list("pk", flat=True))
    if not holders:
        return Found()

    def allowed(ids: Sequence[UUID]) -> set[UUID]:
        now = Resource.objects.for_user(user).ready().filter(pk__in=ids)
        if resources is not None:
            now = now.filter(pk__in=resources.order_by().values("pk"))
        return set(now.values_list("pk", flat=True))

    hits = retrieve(
        KIND, holders, question, limit=limit, allowed=allowed, parts_of_item=PASSAGES_OF_A_FILE
    )
    cited = _passages_of(user, list(hits)[:limit])
    return Found(tuple(cited), hits.without_meaning)


def address_of(passage: ResourcePassage) -> str:
    """Where a person reads it, in its place in the file."""
    page = reverse("knowledge:resource", args=[passage.resource_id])
    return f"{page}?passage={passage.number}#passage-{passage.number}"


def quote_of(text: str, words: Sequence[str], most: int = QUOTE_CHARS) -> str:
    """About the first of the words."""
    found = [text.lower().find(word.lower()) for word in words]
    first = min((at for at in found if at >= 0), default=0)
    start = max(0, min(first - most // 3, len(text) - most))
    if start and (blank := _BLANK.search(text, start, first)):
        start = blank.end()
    part = " ".join(text[start : start + most].split())
    before = "…" if start else ""
    return f"{before}{part}{'…' if start + most < len(text) else ''}"


def _passages_of(user: User, hits: Sequence[Hit]) -> list[Cited]:
    """One that was read anew meanwhile may have fewer: those are gone."""
    readable = Resource.objects.for_user(user).ready()
    rows = ResourcePassage.objects.filter(
        resource__in=readable.filter(pk__in={hit.item_id for hit in hits}),
        number__in={hit.part for hit in hits},
    ).select_related("resource__space")
    by_place = {(row.resource_id, row.number): row for row in rows}
    return [
        Cited(by_place[hit.item_id, hit.part], hit)
        for hit in hits
        if (hit.item_id, hit.part) in by_place
    ]
