"""What a page of documents may cost a model.

A page ends where its size or its budget does, whichever comes first, and the next one begins
there: page numbers count pages as they were cut, so no row is skipped and none comes twice.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from documents.models import Document, DocumentQuerySet
from documents.summary import cut_text
from documents.tokens import estimate_tokens
from documents.tool.outputs import Item

_FRAME = 40  # tokens of the page around its items


@dataclass(frozen=True, slots=True)
class Entry:
    document: Document
    item: Item


def cost_of(item: Item) -> int:
    data = item.model_dump(mode="json", exclude_none=True)
    return estimate_tokens(json.dumps(data, ensure_ascii=False))


def item_of(document: Document) -> Item:
    return Item(
        id=str(document.pk),
        title=document.title,
        summary=document.summary,
        type=document.type,
        tags=document.tags,
        revision=document.revision,
        updated_at=document.updated_at,
        content_length=_content_length(document),
    )


def _content_length(document: Document) -> int:
    """A list brings it along instead of the content."""
    known: int | None = getattr(document, "content_length", None)
    return len(document.content) if known is None else known


def cut_to_fit(item: Item, budget: int) -> Item:
    """With its summary cut where the document alone would go beyond the budget."""
    while item.summary and cost_of(item) > budget - _FRAME:
        item.summary = cut_text(item.summary, len(item.summary) // 2)
        item.summary_cut = True
    return item


def cut_into_pages(
    documents: Iterable[Document], *, page_size: int, budget: int
) -> Iterator[list[Entry]]:
    page: list[Entry] = []
    left = budget - _FRAME
    for document in documents:
        item = cut_to_fit(item_of(document), budget)
        cost = cost_of(item)
        if page and (len(page) == page_size or cost > left):
            yield page
            page, left = [], budget - _FRAME
        page.append(Entry(document, item))
        left -= cost
    if page:
        yield page


def take_page(
    documents: DocumentQuerySet, number: int, *, page_size: int, budget: int
) -> tuple[list[Entry], bool]:
    """The entries of this page, and whether another one follows."""
    most = number * page_size + 1  # a page never holds more than page_size
    pages = cut_into_pages(documents[:most], page_size=page_size, budget=budget)
    page = next(islice(pages, number - 1, None), [])
    return page, bool(page) and next(pages, None) is not None
