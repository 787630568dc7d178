"""The import from an MCP server: one Gatehouse tool for each of its tools that an operator chose.

What is there already stays as it is: listing and importing change nothing but to switch off, and
show as changed, what the server describes in another way by now.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from config.base import audit
from config.base.actor import Actor
from config.base.errors import Conflict, InvalidInput, NotPermitted
from config.base.outbound.deadline import Deadline
from config.base.outbound.urls import parse_url
from tools.mcp.changes import TYPE, disable_changed
from tools.mcp.descriptors import check_descriptor, descriptor_hash, title_of
from tools.mcp.endpoint import Endpoint
from tools.mcp.errors import DescriptorInvalid, ToolUnknown
from tools.mcp.listing import list_tools
from tools.mcp.session import Session
from tools.models import Tool
from tools.schemas import JSON
from tools.secrets.refs import SecretRef
from tools.services import create_tool

SECONDS = 30.0
MAX_SLUG = 50
MAX_PREFIX = 20
MAX_NAME = 50
_NO_SLUG = re.compile(r"[^a-z0-9]+")


class OfferState(TextChoices):
    NEW = "new", _("new")
    IMPORTED = "imported", _("imported already")
    CHANGED = "changed", _("changed since it was imported")
    UNUSABLE = "unusable", _("can't be used")
    CREATED = "created", _("imported now")
    GONE = "gone", _("not offered")


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One tool of the server; `slug` is that of its Gatehouse tool, or the one it would get."""

    name: str
    descriptor: JSON
    hash: str
    state: OfferState
    slug: str = ""
    tool_id: UUID | None = None
    pinned_hash: str = ""  # of its Gatehouse tool
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offers:
    server: str
    version: str  # of the protocol
    tools: tuple[Offer, ...]


def list_offers(actor: Actor, endpoint: Endpoint, *, prefix: str = "") -> Offers:
    """What the server has, and what is imported of it; what has changed is switched off. Audited:
    a request leaves.

    Raises `NotPermitted`, `OutboundError`, `McpError` and what opening a secret raises.
    """
    if not actor.user.is_staff:
        raise NotPermitted
    audit.record(
        "tool.import.listed",
        audit.Outcome.ALLOWED,
        actor=actor,
        target=("mcp_server", parse_url(endpoint.url).host),
        metadata={"host": parse_url(endpoint.url).host},
    )
    session = Session(endpoint, Deadline.after(SECONDS))
    listed = list_tools(session)
    link = session.link()
    server = prefix or link.server_name or parse_url(endpoint.url).host
    offers = tuple(_offers(listed, endpoint, server))
    for offer in offers:
        if offer.state == OfferState.CHANGED and offer.tool_id is not None:
            disable_changed(offer.tool_id, offer.descriptor, pinned_hash=offer.pinned_hash)
    return Offers(server=server, version=link.version, tools=offers)


def import_tools(
    actor: Actor,
    endpoint: Endpoint,
    chosen: Mapping[str, str | None],
    *,
    prefix: str = "",
    enabled: bool = False,
) -> Offers:
    """As `list_offers`, then `import_offers`."""
    offers = list_offers(actor, endpoint, prefix=prefix)
    return import_offers(actor, endpoint, offers, chosen, enabled=enabled)


def import_offers(
    actor: Actor,
    endpoint: Endpoint,
    offers: Offers,
    chosen: Mapping[str, str | None],
    *,
    enabled: bool = False,
) -> Offers:
    """`chosen`: names of tools, each with the hash of the descriptor that was shown, or None.
    `enabled` is for new tools.

    Each is a change of its own; one that can't be had does not keep the others away. Asks nobody.
    Raises `ToolUnknown`, and then nothing was changed.
    """
    by_name = _gone(endpoint, offers, chosen) | {offer.name: offer for offer in offers.tools}
    unknown = [name for name in chosen if name not in by_name]
    if unknown:
        raise ToolUnknown(tools=unknown)
    done = [
        _imported(actor, endpoint, by_name[name], seen_hash, enabled=enabled)
        for name, seen_hash in chosen.items()
    ]
    return replace(offers, tools=tuple(done))


def _gone(endpoint: Endpoint, offers: Offers, chosen: Collection[str]) -> dict[str, Offer]:
    """Those that were imported before, and are offered no more."""
    if {offer.name for offer in offers.tools} >= set(chosen):
        return {}
    return {
        name: Offer(
            name=name,
            descriptor={},
            hash="",
            state=OfferState.GONE,
            slug=tool.slug,
            tool_id=tool.pk,
        )
        for name, tool in _present(endpoint).items()
    }


def _imported(
    actor: Actor, endpoint: Endpoint, offer: Offer, seen_hash: str | None, *, enabled: bool
) -> Offer:
    if offer.state != OfferState.NEW:
        return offer
    if seen_hash is not None and seen_hash != offer.hash:
        problem = _("The server describes it in another way than it was shown; look again.")
        return replace(offer, state=OfferState.UNUSABLE, problem=str(problem))
    try:
        return _created(actor, endpoint, offer, enabled=enabled)
    except InvalidInput as error:
        return replace(offer, state=OfferState.UNUSABLE, problem=error.message)


def _created(actor: Actor, endpoint: Endpoint, offer: Offer, *, enabled: bool) -> Offer:
    values = {
        "name": _name(endpoint, offer),
        "type": TYPE,
        "enabled": enabled,
        "config": _config(endpoint, offer),
    }
    for slug in _numbered(offer.slug):
        try:
            tool = create_tool(actor, slug=slug, **values)
        except Conflict:  # somebody took it since it was looked up, perhaps for this very tool
            theirs = _present(endpoint).get(offer.name)
            if theirs is not None:
                return _had(offer, OfferState.IMPORTED, theirs)
        else:
            return _had(offer, OfferState.CREATED, tool)
    raise Conflict(code="slug_taken")


def _name(endpoint: Endpoint, offer: Offer) -> str:
    """With the server: many offer a “search”. By its host, as its name is in its own words."""
    place = f" ({parse_url(endpoint.url).netloc})"
    return (title_of(offer.descriptor)[: max(MAX_NAME - len(place), 20)] + place)[:MAX_NAME]


def _had(offer: Offer, state: OfferState, tool: Tool) -> Offer:
    return replace(offer, state=state, slug=tool.slug, tool_id=tool.pk)


def _config(endpoint: Endpoint, offer: Offer) -> JSON:
    headers = {
        name: {"secret": held.secret} if isinstance(held, SecretRef) else held
        for name, held in endpoint.headers.items()
    }
    config: JSON = {
        "url": str(parse_url(endpoint.url)),
        "headers": headers,
        "remote_tool": offer.name,
        "descriptor": offer.descriptor,
        "descriptor_hash": offer.hash,
        "allowed_private_networks": list(endpoint.allowed_private_networks),
    }
    return {name: value for name, value in config.items() if value}


def _offers(listed: Mapping[str, JSON], endpoint: Endpoint, server: str) -> Iterator[Offer]:
    present = _present(endpoint)
    taken = set(Tool.objects.values_list("slug", flat=True))
    for name, descriptor in listed.items():
        found = descriptor_hash(descriptor)
        tool = present.get(name)
        offer = Offer(name=name, descriptor=descriptor, hash=found, state=OfferState.NEW)
        if tool is not None:
            pinned = str(tool.config.get("descriptor_hash"))
            state = OfferState.IMPORTED if pinned == found else OfferState.CHANGED
            yield replace(_had(offer, state, tool), pinned_hash=pinned)
            continue
        try:
            check_descriptor(descriptor)
        except DescriptorInvalid as error:
            yield replace(offer, state=OfferState.UNUSABLE, problem=error.message)
            continue
        slug = _free_slug(server, name, taken)
        taken.add(slug)
        yield replace(offer, slug=slug)


def _present(endpoint: Endpoint) -> dict[str, Tool]:
    url = str(parse_url(endpoint.url))
    rows = Tool.objects.filter(type=TYPE, config__url=url).order_by("-created_at")
    return {str(tool.config.get("remote_tool")): tool for tool in rows}


def _free_slug(server: str, name: str, taken: Collection[str]) -> str:
    """`<server>_<tool>`, with a number where that is taken."""
    prefix = _NO_SLUG.sub("_", server.lower()).strip("_")[:MAX_PREFIX].strip("_") or TYPE
    rest = _NO_SLUG.sub("_", name.lower()).strip("_") or "tool"
    return next(slug for slug in _numbered(f"{prefix}_{rest}"[:MAX_SLUG]) if slug not in taken)


def _numbered(slug: str) -> Iterator[str]:
    yield slug
    for number in range(2, 1000):
        end = f"_{number}"
        yield f"{slug[: MAX_SLUG - len(end)]}{end}"
