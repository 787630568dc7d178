"""MCP servers for tests: real ones of the SDK on loopback, and one that says what a test wants."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from mcp.server.mcpserver import MCPServer

from config.base.outbound.testing import ScriptedServer, http_answer

LOOPBACK = {"allowed_private_networks": ["127.0.0.1/32"]}


@contextmanager
def served(server: MCPServer, **options: Any) -> Iterator[str]:
    """The URL of its endpoint."""
    app = server.streamable_http_app(host="127.0.0.1", **options)
    config = uvicorn.Config(app, log_level="error", ws="none", lifespan="on")
    running = uvicorn.Server(config)
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=running.run, args=([listener],), daemon=True)
    thread.start()
    try:
        while not running.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
    finally:
        running.should_exit = True
        thread.join(10)
        listener.close()


# --- A server by hand ---

type Told = dict[str, Any]


def body_of(request: bytes) -> Told:
    body = request.partition(b"\r\n\r\n")[2]
    found: Told = json.loads(body) if body else {}
    return found


def head_of(request: bytes) -> dict[str, str]:
    lines = request.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")[1:]
    return {
        name.lower(): value.strip() for name, _c, value in (one.partition(":") for one in lines)
    }


def json_answer(message: Any, status: str = "200 OK", **headers: str) -> bytes:
    given = {"Content-Type": "application/json", **headers}
    return http_answer(json.dumps(message).encode(), status=status, headers=given)


def result(request: Told, **held: Any) -> Told:
    return {"jsonrpc": "2.0", "id": request["id"], "result": {"resultType": "complete", **held}}


def error(request: Told, code: int, message: str, **data: Any) -> Told:
    told = {"code": code, "message": message, **({"data": data} if data else {})}
    return {"jsonrpc": "2.0", "id": request.get("id"), "error": told}


def event(message: Any) -> bytes:
    return b"event: message\r\ndata: " + json.dumps(message).encode() + b"\r\n\r\n"


TOOL: Told = {
    "name": "search",
    "description": "Searches.",
    "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}},
}

type Say = Callable[[Told, socket.socket], bytes | None]


class ScriptedMcp(ScriptedServer):
    """Speaks 2026-07-28 as it should, but for the methods of `instead`.

    Each of those gets the message and the connection, and gives the whole HTTP answer, or None
    when it has written what it wanted.
    """

    def __init__(self, tools: list[Told] | None = None, **instead: Say) -> None:
        self.tools = [TOOL] if tools is None else tools
        self.instead = instead
        super().__init__(self._respond_to)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.address[1]}/mcp"

    def sent(self, method: str) -> list[Told]:
        return [one for one in map(body_of, self.requests) if one.get("method") == method]

    def _respond_to(self, request: bytes, peer: socket.socket) -> None:
        message = body_of(request)
        name = str(message.get("method", "GET")).replace("/", "_")
        say = self.instead.get(name)
        answer = say(message, peer) if say else self._usual(name, message)
        if answer:
            peer.sendall(answer)

    def _usual(self, name: str, message: Told) -> bytes:
        if name == "server_discover":
            held: Told = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
        elif name == "tools_list":
            held = {"tools": self.tools}
        elif name == "tools_call":
            held = {"content": [{"type": "text", "text": "found"}]}
        else:
            return json_answer(error(message, -32601, "no such method"), "404 Not Found")
        return json_answer(result(message, **held))
