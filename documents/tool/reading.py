"""read and list."""

from django.utils.translation import gettext as _

from config.base.models import User
from config.base.provenance import Provenance
from documents.models import Document, DocumentQuerySet
from documents.selectors import get_document, list_documents, search_documents
from documents.tokens import estimate_tokens
from documents.tool.budget import Entry, cost_of, cut_to_fit, item_of, take_page
from documents.tool.config import DocumentConfig
from documents.tool.inputs import DEFAULT_PAGE_SIZE, DocumentInput
from documents.tool.outputs import Item, One, Page
from documents.tool.parts import Part, take_part
from tools.schemas import ToolContext, ToolResult


def read(arguments: DocumentInput, config: DocumentConfig, context: ToolContext) -> ToolResult:
    if arguments.id:
        return _read_one(arguments, config, context)
    matches = search_documents(
        context.actor.user,
        arguments.q or "",
        type=arguments.filter_type or "",
        tag=arguments.tag or "",
    )
    page, entries = _page_of(matches, arguments, config)
    if arguments.full_content:
        _add_contents(page, entries, arguments, config, context.actor.user)
    return _result(page, entries)


def list_page(arguments: DocumentInput, config: DocumentConfig, context: ToolContext) -> ToolResult:
    documents = list_documents(
        context.actor.user,
        type=arguments.filter_type or "",
        q=arguments.q or "",
        tag=arguments.tag or "",
    )
    return _result(*_page_of(documents, arguments, config))


def _read_one(arguments: DocumentInput, config: DocumentConfig, context: ToolContext) -> ToolResult:
    document = get_document(context.actor.user, arguments.id or "")
    item = item_of(document)
    if arguments.full_content:
        _put_content(item, document.content, arguments, config)
    else:
        cut_to_fit(item, config.token_budget)
        if estimate_tokens(document.content) > config.token_budget:
            item.hint = _how_to_get_the_rest(item, config)
    one = One(**item.model_dump(), created_at=document.created_at)
    return ToolResult(
        data=one.model_dump(mode="json", exclude_none=True),
        provenance=provenance_of(document),
        receipt={"id": item.id, "revision": item.revision},
    )


def _page_of(
    documents: DocumentQuerySet, arguments: DocumentInput, config: DocumentConfig
) -> tuple[Page, list[Entry]]:
    number = arguments.page or 1
    page_size = arguments.page_size or min(DEFAULT_PAGE_SIZE, config.max_page_size)
    entries, has_more = take_page(
        documents, number, page_size=page_size, budget=config.token_budget
    )
    page = Page(
        items=[entry.item for entry in entries],
        total=documents.count(),
        page=number,
        page_size=page_size,
        has_more=has_more,
        next_page=number + 1 if has_more else None,
    )
    return page, entries


def _put_content(
    item: Item, content: str, arguments: DocumentInput, config: DocumentConfig
) -> None:
    """The part that was asked for, and where the next one begins: never a silent cut."""
    part = take_part(content, arguments.offset or 0, arguments.limit, config.max_content_length)
    item.content, item.offset, item.has_more_content = part.text, part.offset, part.has_more
    item.next_offset = part.end if part.has_more else None
    item.hint = _where_it_goes_on(part)


def _where_it_goes_on(part: Part) -> str | None:
    """Nothing to say where the whole content is there."""
    if part.offset >= part.total:
        return _("The content ends at character %(total)s; offset %(offset)s is past it.") % {
            "total": part.total,
            "offset": part.offset,
        }
    facts = {"first": part.offset, "end": part.end, "total": part.total}
    if part.has_more:
        text = _(
            "These are the characters %(first)s to %(end)s of %(total)s."
            " Read on with full_content=true and offset=%(end)s."
        )
        return text % facts
    if part.offset:
        return _("These are the last characters, %(first)s to %(end)s of %(total)s.") % facts
    return None


def _add_contents(
    page: Page,
    entries: list[Entry],
    arguments: DocumentInput,
    config: DocumentConfig,
    user: User,
) -> None:
    """To the best matches, as far as the budget goes; a single match has it whole."""
    left = config.token_budget - sum(cost_of(item) for item in page.items)
    contents = _contents_of(entries, user)
    for entry, item in zip(entries, page.items, strict=True):
        content = contents.get(entry.document.pk, "")  # gone meanwhile
        cost = estimate_tokens(content)
        if page.total == 1 or cost <= left:
            _put_content(item, content, arguments, config)
            left -= cost
        else:
            item.hint = _how_to_get_the_rest(item, config)


def _contents_of(entries: list[Entry], user: User) -> dict[object, str]:
    """In one query."""
    ids = [entry.document.pk for entry in entries]
    return dict(Document.objects.for_user(user).filter(pk__in=ids).values_list("pk", "content"))


def _how_to_get_the_rest(item: Item, config: DocumentConfig) -> str:
    return _(
        "The content (%(length)s characters) is beyond the budget of %(budget)s tokens, so this is"
        " its summary. Read it by id with full_content=true, in parts with offset and limit."
    ) % {"length": item.content_length, "budget": config.token_budget}


def _result(page: Page, entries: list[Entry]) -> ToolResult:
    """That nothing was found, and of how many this is a page, is private as well."""
    brought = (provenance_of(entry.document) for entry in entries)
    return ToolResult(
        data=page.model_dump(mode="json", exclude_none=True),
        provenance=frozenset({Provenance.PRIVATE.value}).union(*brought),
        receipt={"ids": [item.id for item in page.items], "total": page.total},
    )


def provenance_of(document: Document) -> frozenset[str]:
    """What reading it brings into a run."""
    return frozenset({Provenance.PRIVATE.value, *document.provenance} - {Provenance.OWN.value})
