"""Documents as the index reads them: a card with title, tags and summary, then their passages."""

from collections.abc import Iterator, Sequence
from uuid import UUID

from documents.models import Document
from documents.search.cutting import cut
from documents.search.items import Item, Part
from documents.search.sources import register
from documents.summary import make_summary

KIND = "document"


def item_of(document: Document) -> Item:
    """Its date is that of its making: a change of one passage leaves the others as they are."""
    content = document.content
    passages = [
        Part(
            text=content[passage.start : passage.end],
            heading=_heading(document.title, passage.heading),
            start=passage.start,
            end=passage.end,
        )
        for passage in cut(content)
    ]
    return Item(
        kind=KIND,
        holder_id=document.owner_id,
        id=document.pk,
        parts=[_card(document), *passages],
        happened_at=document.created_at,
        session_id=document.pk,
    )


def _card(document: Document) -> Part:
    """A summary that was made from the beginning is left out: it would count twice."""
    own = "" if document.summary == make_summary(document.content) else document.summary
    return Part(text=" ".join([*document.tags, own]).strip(), heading=document.title)


def _heading(title: str, heading: str) -> str:
    return title if heading in ("", title) else f"{title}\n{heading}"


class Documents:
    kind = KIND

    def items(self, ids: Sequence[UUID]) -> Iterator[Item]:
        for document in Document.objects.filter(pk__in=ids):
            yield item_of(document)

    def ids_after(self, after: UUID | None, limit: int) -> list[UUID]:
        documents = Document.objects.order_by("pk")
        if after is not None:
            documents = documents.filter(pk__gt=after)
        return list(documents.values_list("pk", flat=True)[:limit])


register(Documents())
