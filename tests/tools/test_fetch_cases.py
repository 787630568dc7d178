"""Each case of tests/data/ssrf.json, through the tool type and over real sockets.

What is dialled is recorded below the client; see `FakeNetwork`.
"""

import gzip
import ipaddress
import json
import socket
import struct
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from config.base.actor import Actor, Origin
from config.base.models import User
from config.base.outbound.network import Network, use_network
from config.base.outbound.testing import FakeNetwork, ScriptedServer, http_answer
from tools.errors import ToolFailure
from tools.schemas import ToolContext, ToolResult
from tools.types.fetch.config import FetchConfig
from tools.types.fetch.tool import FetchTool

CASES = json.loads((Path(__file__).parent.parent / "data" / "ssrf.json").read_text())
GROUPS = {
    "ipv4-literal", "ipv4-encodings", "ipv6-literal", "cloud-metadata", "dns", "scheme",
    "url-syntax", "trailing-dot", "port", "unicode-idna", "redirect", "headers", "response",
    "domain-lists",
}  # fmt: skip

type Case = dict[str, Any]


def context() -> ToolContext:
    return ToolContext(
        actor=Actor(User(username="alice"), Origin.CHAT),
        tool_id=None,
        tool_slug="fetch",
        idempotency_key="key-1",
        deadline=time.monotonic() + 30,
    )


def fetch(case: Case) -> ToolResult:
    config = FetchConfig.model_validate({"parse_mode": "raw", **case.get("config", {})})
    tool = FetchTool()
    try:
        arguments = tool.input_model(config).model_validate(
            {"url": case["url"], **case.get("request", {})}
        )
    except ValidationError as error:
        raise ToolFailure(str(error), code="invalid_arguments") from error
    return tool.execute(tool.plan(arguments, config, context()), config, context())


# --- The server's side of a case ---


def body_of(server: Case) -> bytes:
    if "body_repeat" in server:
        text, times = server["body_repeat"]
        return str(text).encode() * int(times)
    return bytes.fromhex(server.get("body_hex", "")) or server.get("body", "").encode()


def encoded(body: bytes, encoding: str) -> bytes:
    raw = zlib.compressobj(wbits=-15)
    makers: dict[str, Callable[[], bytes]] = {
        "": lambda: body,
        "gzip": lambda: gzip.compress(body, 1),
        "gzip-twice": lambda: gzip.compress(body) * 2,
        "gzip-cut": lambda: gzip.compress(body)[:-12],
        "deflate": lambda: zlib.compress(body),
        "raw-deflate": lambda: raw.compress(body) + raw.flush(),
    }
    return makers[encoding]()


def plain_answer(server: Case) -> bytes:
    encoding = server.get("encoding", "")
    label = {"gzip-twice": "gzip", "gzip-cut": "gzip", "raw-deflate": "deflate"}
    headers = dict(server.get("headers", {"Content-Type": "text/plain"}))
    if encoding:
        headers["Content-Encoding"] = label.get(encoding, encoding)
    if "header_bytes" in server:
        headers["X-Large"] = "x" * server["header_bytes"]
    headers |= {f"X-{number}": "x" * 20 for number in range(server.get("header_count", 0))}
    body = encoded(body_of(server), encoding)
    return http_answer(body, status=server.get("status", "200 OK"), headers=headers)


def redirect_answer(redirect: Case) -> bytes:
    location = redirect["location"]
    headers = {} if location is None else {"Location": location}
    return http_answer(b"over there", status=f"{redirect['status']} Moved", headers=headers)


def endless(peer: socket.socket, stopped: threading.Event, start: bytes, piece: bytes) -> None:
    peer.sendall(start)
    while not stopped.wait(0.01):
        peer.sendall(piece)


ENDLESS = {
    "silent": (b"", b""),
    "drip": (b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"x"),
    "drip_headers": (b"HTTP/1.1 200 OK\r\nX-A: ", b"x"),
    "interim": (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
}


class CaseServer(ScriptedServer):
    def __init__(self, case: Case) -> None:
        super().__init__(self.respond)
        self.script = case.get("server", {})
        self.redirects = case.get("redirects_to", [])

    def respond(self, request: bytes, peer: socket.socket) -> None:
        position = len(self.requests) - 1
        if position < len(self.redirects):
            peer.sendall(redirect_answer(self.redirects[position]))
            return
        for kind, (start, piece) in ENDLESS.items():
            if self.script.get(kind):
                endless(peer, self.stopped, start, piece)
                return
        raw = self.script.get("raw")
        peer.sendall(plain_answer(self.script) if raw is None else raw.encode())
        if self.script.get("reset"):
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


class CaseNetwork(FakeNetwork):
    def __init__(self, case: Case, server: ScriptedServer) -> None:
        super().__init__(server.address, names=case.get("names", {}))
        self.case = case
        self.stopped = server.stopped
        if case.get("server", {}).get("refused"):
            self.server = None

    def lookup(self, host: str, port: int) -> list[str]:
        if "dns_delay_ms" in self.case:
            self.stopped.wait(self.case["dns_delay_ms"] / 1000)
        first = host not in self.names and "resolves_to" in self.case
        if "dns_sequence" in self.case:
            self.names = {host: self.case["dns_sequence"]}
        elif first:
            self.names = {**self.names, host: [self.case["resolves_to"]]}
        return super().lookup(host, port)

    def dial(self, address: str, port: int, timeout: float) -> socket.socket:
        if self.case.get("server", {}).get("blackhole"):
            self.dialled.append((address, port))
            self.stopped.wait(timeout)
            raise TimeoutError
        return super().dial(address, port, timeout)


# --- What must hold ---


def header_lines(request: bytes) -> dict[str, str]:
    lines = request.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")[1:]
    pairs = [line.partition(": ") for line in lines]
    assert len({name.lower() for name, _, _ in pairs}) == len(pairs), "a header was sent twice"
    return {name.lower(): value for name, _, value in pairs}


def check_requests(case: Case, requests: list[bytes]) -> None:
    if "requests_made" in case:
        assert len(requests) == case["requests_made"]
    if "request_line" in case:
        assert requests[0].split(b"\r\n")[0].decode() == case["request_line"]
    if "host_header" in case:
        assert header_lines(requests[0])["host"] == case["host_header"]
    for number in (1, 2, 3):
        if name := case.get(f"hop{number}_no_header"):
            assert name not in header_lines(requests[number - 1])
        if pair := case.get(f"hop{number}_header"):
            assert header_lines(requests[number - 1])[pair[0]] == pair[1]


def check_result(case: Case, result: ToolResult) -> None:
    assert result.provenance == {"untrusted"}
    content = result.data["content"]
    if "content" in case:
        assert content == case["content"]
    if "content_size" in case:
        assert len(content) == case["content_size"]
    assert result.data["status_code"] == case.get("status_code", 200)
    if "final_url" in case:
        assert result.data["url"] == case["final_url"]
    is_cut = case.get("truncated", False)
    assert result.metadata["truncated"] is is_cut
    assert bool(result.warnings) is (is_cut or case.get("warns", False))
    json.dumps(result.data, ensure_ascii=False).encode()


def check_dials(case: Case, network: FakeNetwork) -> None:
    addresses = [address for address, _port in network.dialled]
    for text in addresses:
        address = ipaddress.ip_address(text)
        address = getattr(address, "sixtofour", None) or address  # public when its inner one is
        assert not any((address.is_private, address.is_loopback, address.is_link_local))
    if "dials" in case:
        assert addresses == case["dials"]
    if "looked_up" in case:
        assert network.lookups == [case["looked_up"]]
    if case["expect"] == "address_refused" and "redirects_to" not in case:
        assert addresses == []


@pytest.fixture
def case_network(case: Case) -> Iterator[tuple[CaseNetwork, ScriptedServer]]:
    with CaseServer(case) as server:
        network = CaseNetwork(case, server)
        with use_network(Network(network.lookup, network.dial)):
            yield network, server


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_it_answers_each_case_as_it_should(
    case: Case, case_network: tuple[CaseNetwork, ScriptedServer]
) -> None:
    network, server = case_network
    started = time.monotonic()
    if case["expect"] == "ok":
        check_result(case, fetch(case))
    else:
        with pytest.raises(ToolFailure) as failed:
            fetch(case)
        assert failed.value.code == case["expect"], failed.value.message
    assert (time.monotonic() - started) * 1000 < case.get("max_wall_ms", 5000)
    check_requests(case, server.requests)
    check_dials(case, network)


def test_the_cases_cover_every_group() -> None:
    assert {case["group"] for case in CASES} == GROUPS
