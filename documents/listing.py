"""The list page: what was asked for, and what stands on the page."""

from dataclasses import dataclass
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _

from config.base.models import User
from documents.enums import DocumentType
from documents.finding.hits import find_hits
from documents.finding.showing import show
from documents.finding.suggesting import suggest
from documents.selectors import (
    BEST_FIRST,
    NEWEST_FIRST,
    count_by_type,
    count_tags,
    list_documents,
)

PAGE_SIZE = 20
SHOWN_TAGS = 12
MAX_QUERY_LENGTH = 200


@dataclass(frozen=True, slots=True)
class ListQuery:
    """From an address that anybody can type: what makes no sense is left out."""

    type: DocumentType
    q: str
    tag: str
    sort: str  # "": the best matches of a search, else what was changed last
    page: str

    @classmethod
    def of(cls, given: QueryDict) -> "ListQuery":
        sort = given.get("sort", "")
        wanted = given.get("type", "")
        q = _line(given.get("q", ""))
        return cls(
            type=DocumentType(wanted) if wanted in DocumentType.values else DocumentType.DOCUMENT,
            q=q,
            tag=_line(given.get("tag", "")),
            sort=sort if sort in sort_labels(is_search=bool(q)) else "",
            page=given.get("page", "1"),
        )

    @property
    def ordering(self) -> str:
        return self.sort or (BEST_FIRST if self.q else NEWEST_FIRST)


def _line(text: str) -> str:
    return text.replace("\x00", "").strip()[:MAX_QUERY_LENGTH]


def sort_labels(*, is_search: bool) -> dict[str, str]:
    first = {"": _("Best match"), NEWEST_FIRST: _("Changed last")}
    return {
        **(first if is_search else {"": _("Changed last")}),
        "-created_at": _("Newest"),
        "title": _("Title"),
    }


def list_context(request: HttpRequest, user: User) -> dict[str, Any]:
    query = ListQuery.of(request.GET)
    found = find_hits(user, query.q, tag=query.tag)
    counts = count_by_type(user, tag=query.tag, found=found)
    documents = list_documents(
        user, type=query.type, tag=query.tag, ordering=query.ordering, found=found
    )
    paginator = Paginator(documents, PAGE_SIZE)
    paginator.count = counts[query.type]  # known already
    page = paginator.get_page(query.page)
    page.object_list = list(page.object_list)
    show(user, page.object_list, found)
    tags = count_tags(user, type=query.type, limit=SHOWN_TAGS)
    is_unknown = bool(query.q) and not any(counts.values())
    return {
        "page_obj": page,
        "tabs": _tabs(request, query, counts),
        "type": query.type.value,
        "query": query.q,
        "meant": suggest(user, query.q) if is_unknown else "",
        "tag": query.tag,
        "tag_listed": any(name.casefold() == query.tag.casefold() for name, _count in tags),
        "tags": [{"name": name, "count": count} for name, count in tags],
        "sort": query.sort,
        "sort_options": [
            {"value": value, "label": label}
            for value, label in sort_labels(is_search=bool(query.q)).items()
        ],
    }


def _tabs(
    request: HttpRequest, query: ListQuery, counts: dict[DocumentType, int]
) -> list[dict[str, Any]]:
    labels = {DocumentType.DOCUMENT: _("Documents"), DocumentType.MEMORY: _("Memory")}
    return [
        {
            "label": label,
            "url": _address(request, type=value.value),
            "count": counts[value],
            "active": value is query.type,
        }
        for value, label in labels.items()
    ]


def _address(request: HttpRequest, **changes: str) -> str:
    """The same search in another tab, from its first page."""
    given = request.GET.copy()
    given.pop("page", None)
    for name, value in changes.items():
        given[name] = value
    return f"?{given.urlencode()}"
