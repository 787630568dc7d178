"""One server for every type that needs a peer: whatever the host, the path says what it is."""

import json
import socket
from typing import Any

from config.base.outbound.testing import http_answer
from tests.agents.tool_types.configs import DESCRIPTOR
from tests.tools.mcp_servers import ScriptedMcp, Told, json_answer, result
from tests.tools.search_servers import FOUND, answer_json, searxng
from tools.mcp.descriptors import descriptor_hash
from tools.schemas import JSON

SLOW_SECONDS = 0.4
INSIDE, INSIDE_AT = "inside.example", "10.0.0.7"  # a name: an address would be refused on saving
LONG = "long " * 200
A_RESULT = {**FOUND[0], "text": LONG}

# What a tool of each type is set up with where the defaults are not enough.
SET_UP: dict[str, JSON] = {
    "ask_model": {"model_profile": "Helper"},
    "fetch": {"parse_mode": "raw"},
    "http_api": {
        "base_url": "http://api.example",
        "path": "/{place}",
        "parameters": [
            {"name": "place", "in": "path", "required": True, "schema": {"type": "string"}},
            {"name": "q", "in": "query", "schema": {"type": "string"}},
        ],
    },
    "mcp": {
        "url": "http://mcp.example/mcp",
        "remote_tool": "search",
        "descriptor": DESCRIPTOR,
        "descriptor_hash": descriptor_hash(DESCRIPTOR),
        "trust_read_only": True,
    },
    "web_search": {"provider": "searxng", "url": "http://search.example/search"},
}
POSTING: JSON = {
    "method": "POST",
    "parameters": [],
    "path": "/posted",
    "body": {"content_type": "text/plain"},
}


class World(ScriptedMcp):
    """`/slow…` takes its time, `/long…` says much, `/moved…` leads elsewhere; `/mcp` and
    `/search` are asked for the same by their query."""

    def __init__(self) -> None:
        super().__init__([DESCRIPTOR], tools_call=self._call)

    def _respond_to(self, request: bytes, peer: socket.socket) -> None:
        target = request.split(b" ", 2)[1].decode()
        if target.startswith("/mcp"):
            super()._respond_to(request, peer)
            return
        self._take_time(target)
        if target.startswith("/moved"):
            peer.sendall(http_answer(status="302 Moved", headers={"Location": "/there"}))
        elif target.startswith("/search"):
            peer.sendall(answer_json(searxng([A_RESULT, FOUND[1]])))
        else:
            peer.sendall(self._page(target))

    def _page(self, target: str) -> bytes:
        told: dict[str, Any] = {"here": target}
        body = json.dumps(told | ({"text": LONG} if "long" in target else {})).encode()
        return http_answer(body, headers={"Content-Type": "application/json"})

    def _call(self, message: Told, _peer: socket.socket) -> bytes:
        query = message["params"]["arguments"].get("query", "")
        self._take_time(query)
        text = LONG if "long" in query else f"found {query}"
        return json_answer(result(message, content=[{"type": "text", "text": text}]))

    def _take_time(self, target: str) -> None:
        if "slow" in target:
            self.stopped.wait(SLOW_SECONDS)
