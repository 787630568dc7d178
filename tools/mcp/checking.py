"""Looking at the servers of all enabled tools: are they still what was pinned?"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from uuid import UUID

from pydantic import ValidationError

from config.base.digests import canonical_json
from config.base.outbound.deadline import Deadline
from tools.mcp.changes import TYPE
from tools.mcp.descriptors import descriptor_hash
from tools.mcp.endpoint import Endpoint
from tools.mcp.listing import list_tools
from tools.mcp.session import Session
from tools.models import Tool
from tools.schemas import JSON
from tools.types.mcp.config import McpConfig

SERVER_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Pinned:
    tool_id: UUID
    remote_tool: str
    hash: str


@dataclass(slots=True)
class Server:
    """One URL with one set of headers, and the tools that are called there."""

    endpoint: Endpoint
    tools: list[Pinned] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Change:
    tool_id: UUID
    pinned_hash: str
    seen: JSON


def list_servers() -> list[Server]:
    """Of enabled tools whose config can be read."""
    servers: dict[str, Server] = {}
    for tool_id, config in _configs():
        endpoint = config.endpoint()
        server = servers.setdefault(_key(config), Server(endpoint))
        server.tools.append(Pinned(tool_id, config.remote_tool, config.descriptor_hash))
    return list(servers.values())


def find_changes(server: Server) -> list[Change]:
    """Raises as `Session.request`; a tool that is gone is told when it is called."""
    listed = list_tools(Session(server.endpoint, Deadline.after(SERVER_SECONDS)))
    return [
        Change(pinned.tool_id, pinned.hash, seen)
        for pinned in server.tools
        if (seen := listed.get(pinned.remote_tool)) is not None
        and descriptor_hash(seen) != pinned.hash
    ]


def _configs() -> Iterator[tuple[UUID, McpConfig]]:
    rows = Tool.objects.enabled().filter(type=TYPE).order_by("pk")
    for tool_id, held in rows.values_list("pk", "config"):
        with suppress(ValidationError):
            yield tool_id, McpConfig.model_validate(held)


def _key(config: McpConfig) -> str:
    return canonical_json(config.model_dump(include={"url", "headers"}))
