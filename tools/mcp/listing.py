"""All that a server offers, page by page, within bounds; and whether a pinned tool is still it."""

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _

from tools.mcp.descriptors import descriptor_hash, descriptor_of
from tools.mcp.errors import McpError, ToolGone
from tools.mcp.links import listed_hashes
from tools.mcp.session import Session
from tools.schemas import JSON

MAX_TOOLS = 500
MAX_PAGES = 50
MAX_BYTES = 4 * 1024 * 1024
MAX_CURSOR = 4096


class DescriptorChanged(Exception):
    """Told to who called; `seen` is what the server says now."""

    def __init__(self, seen: JSON) -> None:
        super().__init__()
        self.seen = seen


def list_tools(session: Session) -> dict[str, JSON]:
    """Name to descriptor, in the server's order. Raises as `Session.request`."""
    found: dict[str, JSON] = {}
    for listed in _pages(session):
        if not isinstance(listed, dict) or not isinstance(listed.get("name"), str):
            continue
        if listed["name"] in found:
            message = _("The MCP server lists two tools of one name.")
            raise McpError(message)
        if len(found) >= MAX_TOOLS:
            message = _("The MCP server lists more than %(limit)d tools.")
            raise McpError(message % {"limit": MAX_TOOLS})
        found[listed["name"]] = descriptor_of(listed)
    listed_hashes.put(session.key, {name: descriptor_hash(one) for name, one in found.items()})
    return found


def check_unchanged(session: Session, name: str, pinned_hash: str) -> None:
    """Raises `DescriptorChanged` and `ToolGone`, never by a list that was kept from before."""
    known = listed_hashes.get(session.key)
    if known is not None and known.get(name) == pinned_hash:
        return
    seen = list_tools(session).get(name)
    if seen is None:
        raise ToolGone
    if descriptor_hash(seen) != pinned_hash:
        raise DescriptorChanged(seen)


def _pages(session: Session) -> Iterator[Any]:
    cursors: set[str] = set()
    params: JSON = {}
    before = session.size_bytes
    for _page in range(MAX_PAGES):
        left = MAX_BYTES - (session.size_bytes - before)
        result = session.request("tools/list", params, max_bytes=max(left, 1))
        tools = result.get("tools")
        if not isinstance(tools, list):
            raise McpError(_("The MCP server's list of tools is no list."))
        yield from tools
        cursor = result.get("nextCursor")
        if cursor is None:
            return
        if not isinstance(cursor, str) or len(cursor) > MAX_CURSOR or cursor in cursors:
            raise McpError(_("The MCP server's list of tools does not end."))
        cursors.add(cursor)
        params = {"cursor": cursor}
    raise McpError(_("The MCP server's list of tools does not end."))
