"""The tool type `mcp` against hostile servers: each ends soon, with a code of its own."""

import contextlib
import json
import re
import socket
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from config.base.models import User
from config.base.outbound.testing import http_answer
from tests.tools.conftest import context_for
from tests.tools.mcp_servers import (
    LOOPBACK,
    TOOL,
    ScriptedMcp,
    Told,
    error,
    event,
    head_of,
    json_answer,
    result,
)
from tests.tools.secrets import VALUE, make_secret, operator_actor
from tools.enums import CallStatus
from tools.errors import InvalidToolConfig
from tools.mcp.descriptors import descriptor_hash
from tools.mcp.links import forget_links
from tools.mcp.transport import MAX_ASKED_BACK
from tools.models import ActionDraft, Tool, ToolCall, ToolCallContent
from tools.outcomes import CallOutcome
from tools.pipeline import call_tool
from tools.secrets.known import forget_all
from tools.services import create_tool

pytestmark = pytest.mark.django_db

TOKEN = VALUE.partition(" ")[2]
STREAM = {"Content-Type": "text/event-stream", "Content-Length": ""}
READS: Told = {**TOOL, "annotations": {"readOnlyHint": True}}


@pytest.fixture(autouse=True)
def nothing_is_known() -> Iterator[None]:
    forget_links()
    forget_all()
    yield
    forget_links()
    forget_all()


def tool_at(operator: User, url: str, descriptor: Told = READS, **config: Any) -> Tool:
    whole = {
        "url": url,
        "remote_tool": descriptor["name"],
        "descriptor": descriptor,
        "descriptor_hash": descriptor_hash(descriptor),
        "trust_read_only": True,
        "timeout_ms": 5000,
        **LOOPBACK,
        **config,
    }
    return create_tool(
        operator_actor(operator), name="Search", slug="remote_search", type="mcp", config=whole
    )


def ask(server: ScriptedMcp, operator: User, **config: Any) -> CallOutcome:
    if not server.tools or server.tools == [TOOL]:
        server.tools = [READS]
    tool = tool_at(operator, server.url, **config)
    return call_tool(tool, {"query": "x"}, context_for(operator))


def code_of(outcome: CallOutcome) -> str:
    assert outcome.draft is None
    return outcome.error.code if outcome.error else ""


def stream(peer: socket.socket, *messages: Any, close: bool = True) -> None:
    """A chunked stream of events."""
    head = (
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    peer.sendall(head.encode())
    for message in messages:
        chunk(peer, message if isinstance(message, bytes) else event(message))
    if close:
        peer.sendall(b"0\r\n\r\n")


def chunk(peer: socket.socket, data: bytes) -> None:
    peer.sendall(f"{len(data):x}\r\n".encode() + data + b"\r\n")


# --- Answers that are none ---


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'"text"',
        b"null",
        b"{}",
        b'{"jsonrpc": "1.0", "id": 1, "result": {}}',
        b"[" * 100_000,
        b'{"jsonrpc": "2.0", "id": "another", "result": {"content": []}}',
        b'{"jsonrpc": "2.0", "id": null, "result": {"content": []}}',
        b'{"jsonrpc": "2.0", "id": true, "result": {"content": []}}',
        b'{"jsonrpc": "2.0", "method": "tools/call", "params": {}}',
        b"\xff\xfe\x00",
        b"9" * 50_000,
    ],
)
def test_what_is_no_answer_to_the_call_is_none(body: bytes, operator: User) -> None:
    said = http_answer(body, headers={"Content-Type": "application/json"})
    with ScriptedMcp(tools_call=lambda _message, _peer: said) as server:
        assert code_of(ask(server, operator)) == "mcp_error"


@pytest.mark.parametrize(
    "held",
    [[], "text", None, 5],
)
def test_a_result_that_is_no_object_is_refused(held: Any, operator: User) -> None:
    def say(message: Told, _peer: socket.socket) -> bytes:
        return json_answer({"jsonrpc": "2.0", "id": message["id"], "result": held})

    with ScriptedMcp(tools_call=say) as server:
        assert code_of(ask(server, operator)) == "mcp_error"


@pytest.mark.parametrize(
    ("status", "code"),
    [
        ("401 No", "mcp_unauthorized"),
        ("403 No", "mcp_unauthorized"),
        ("404 Gone", "mcp_error"),
        ("429 Slow", "mcp_error"),
        ("500 Oh", "mcp_error"),
        ("202 Accepted", "mcp_error"),
    ],
)
def test_a_status_is_told(status: str, code: str, operator: User) -> None:
    with ScriptedMcp(tools_call=lambda *_: http_answer(b"<h1>", status=status)) as server:
        assert code_of(ask(server, operator)) == code


def test_an_error_of_the_protocol_is_told_without_what_nobody_sees(operator: User) -> None:
    def say(message: Told, _peer: socket.socket) -> bytes:
        return json_answer(error(message, -32000, "no\u202e \U000e0041way " + "x" * 9000))

    with ScriptedMcp(tools_call=say) as server:
        outcome = ask(server, operator)
    assert code_of(outcome) == "mcp_error"
    assert outcome.error is not None
    assert "no way x" in outcome.error.message
    assert len(outcome.error.message) < 700
    assert outcome.provenance == {"untrusted"}


def test_asking_for_input_is_an_error_of_its_own(operator: User) -> None:
    def say(message: Told, _peer: socket.socket) -> bytes:
        wants = {"resultType": "input_required", "inputRequests": {"a": {"method": "roots/list"}}}
        return json_answer(result(message, **wants))

    with ScriptedMcp(tools_call=say) as server:
        assert code_of(ask(server, operator)) == "mcp_input_required"
        assert len(server.sent("tools/call")) == 1


# --- Without end ---


def test_an_endless_stream_ends_at_the_limit(operator: User) -> None:
    def say(_message: Told, peer: socket.socket) -> None:
        noise = event({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})
        with contextlib.suppress(OSError):
            stream(peer, close=False)
            while True:
                chunk(peer, noise * 50)

    with ScriptedMcp(tools_call=say) as server:
        outcome = ask(server, operator, max_response_bytes=50_000)
    assert code_of(outcome) == "response_too_large"


@pytest.mark.parametrize("streams", [True, False])
def test_a_slow_body_ends_with_the_time(streams: bool, operator: User) -> None:
    def say(_message: Told, peer: socket.socket) -> None:
        kind = "text/event-stream" if streams else "application/json"
        with contextlib.suppress(OSError):
            peer.sendall(f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n".encode())
            for _piece in range(100):
                peer.sendall(b":\n" if streams else b" ")
                time.sleep(0.05)

    with ScriptedMcp(tools_call=say) as server:
        outcome = ask(server, operator, timeout_ms=300)
    assert code_of(outcome) == "timeout"
    assert outcome.call.status == CallStatus.TIMEOUT


def test_a_stream_need_not_end_once_it_has_answered(operator: User) -> None:
    def say(message: Told, peer: socket.socket) -> None:
        noise: Told = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}
        other = {**result(message, content=[]), "id": "another"}
        found = result(message, content=[{"type": "text", "text": "at last"}])
        stream(peer, b": hello\n\n", b"data:\n\n", noise, other, found, close=False)
        peer.settimeout(5)
        with contextlib.suppress(OSError):
            peer.recv(1)  # until the client hangs up

    with ScriptedMcp(tools_call=say) as server:
        outcome = ask(server, operator)
    assert outcome.result is not None
    assert outcome.result.data["text"] == "at last"


def test_a_list_that_never_ends_is_not_read_for_ever(operator: User) -> None:
    pages = iter(range(1000))

    def say(message: Told, _peer: socket.socket) -> bytes:
        return json_answer(result(message, tools=[], nextCursor=str(next(pages))))

    with ScriptedMcp(tools_list=say) as server:
        assert code_of(ask(server, operator)) == "mcp_error"
        assert len(server.sent("tools/list")) == 50
        assert server.sent("tools/call") == []


@pytest.mark.parametrize(
    "held",
    [
        {"tools": [READS], "nextCursor": "same"},
        {"tools": [READS], "nextCursor": 5},
        {"tools": [READS], "nextCursor": "x" * 5000},
        {"tools": {"name": "search"}},
        {"tools": [READS, READS]},
        {"tools": [{"name": f"t{n}"} for n in range(501)]},
        {},
    ],
)
def test_a_list_that_makes_no_sense_is_refused(held: Told, operator: User) -> None:
    with ScriptedMcp(tools_list=lambda m, _p: json_answer(result(m, **held))) as server:
        assert code_of(ask(server, operator)) == "mcp_error"
        assert server.sent("tools/call") == []


def test_a_huge_list_is_refused(operator: User) -> None:
    def say(message: Told, _peer: socket.socket) -> bytes:
        return json_answer(result(message, tools=[{"name": "x", "description": "y" * 5_000_000}]))

    with ScriptedMcp(tools_list=say) as server:
        assert code_of(ask(server, operator)) == "response_too_large"


def test_what_else_stands_in_a_list_is_passed_over(operator: User) -> None:
    with ScriptedMcp([None, 5, "x", {}, {"name": 7}, READS]) as server:  # type: ignore[list-item]  # hostile
        assert ask(server, operator).success


# --- Away from here ---


@pytest.mark.parametrize("status", ["301 M", "302 M", "303 M", "307 M", "308 M"])
def test_a_redirect_elsewhere_is_not_followed(status: str, operator: User) -> None:
    make_secret(operator, allowed_hosts=["127.0.0.1"])
    with ScriptedMcp() as other:
        moved = http_answer(status=status, headers={"Location": f"{other.url}?x=1"})
        with ScriptedMcp(tools_call=lambda *_: moved) as server:
            outcome = ask(server, operator, headers={"authorization": {"secret": "api"}})
        assert code_of(outcome) == "redirect_not_allowed"
        assert other.requests == []


def test_within_its_origin_a_post_may_move(operator: User) -> None:
    def say(_message: Told, _peer: socket.socket) -> bytes:
        del server.instead["tools_call"]
        return http_answer(status="307 Moved", headers={"Location": "/mcp/"})

    with ScriptedMcp(tools_call=say) as server:
        assert ask(server, operator).success
        assert server.requests[-1].startswith(b"POST /mcp/ HTTP/1.1\r\n")


@pytest.mark.parametrize("spelt", [TOKEN, quote(TOKEN, safe="")])
def test_a_redirect_that_carries_the_secret_is_not_followed(spelt: str, operator: User) -> None:
    make_secret(operator, allowed_hosts=["127.0.0.1"])
    moved = http_answer(status="307 Moved", headers={"Location": f"/log?t={spelt}"})
    with ScriptedMcp(tools_call=lambda *_: moved) as server:
        outcome = ask(server, operator, headers={"authorization": {"secret": "api"}})
        assert code_of(outcome) == "redirect_not_allowed"
        assert not any(b"/log" in request for request in server.requests)


def test_an_address_that_is_not_opened_is_not_dialled(operator: User) -> None:
    with ScriptedMcp() as server:
        with pytest.raises(InvalidToolConfig, match="allowed_private_networks"):
            ask(server, operator, allowed_private_networks=[])
        assert server.requests == []


def test_nobody_there_is_told(operator: User) -> None:
    with ScriptedMcp() as server:
        url = server.url
    assert code_of(call_tool(tool_at(operator, url), {}, context_for(operator))) == "connect_failed"


# --- The secret ---


def test_an_echoed_secret_is_seen_nowhere(operator: User) -> None:
    make_secret(operator, allowed_hosts=["127.0.0.1"])
    spelt = json.dumps(VALUE).replace("/", "\\/").replace("+", "\\u002b")

    def say(message: Told, peer: socket.socket) -> None:
        text = f"{VALUE} {TOKEN} {quote(TOKEN, safe='')} {TOKEN.encode().hex()}"
        content = [{"type": "text", "text": text}, {"type": "image", "uri": TOKEN, "data": TOKEN}]
        told = json.dumps(result(message, content=content, structuredContent={TOKEN: TOKEN}))
        raw = told[:-1].encode() + b', "more": ' + spelt.encode() + b"}"
        stream(peer, b"data: " + raw + b"\n\n")

    with ScriptedMcp(tools_call=say) as server:
        outcome = ask(server, operator, headers={"Authorization": {"secret": "api"}})
        assert outcome.success
        assert head_of(server.requests[-1])["authorization"] == VALUE
    kept = str([list(m._default_manager.values()) for m in (ToolCall, ToolCallContent, Tool)])
    assert outcome.result is not None
    for text in (str(outcome.result), kept):
        assert not re.search(re.escape(TOKEN[:12]), text)
        assert TOKEN.encode().hex() not in text


def test_an_error_that_echoes_the_secret_does_not_tell_it(operator: User) -> None:
    make_secret(operator, allowed_hosts=["127.0.0.1"])

    def say(message: Told, _peer: socket.socket) -> bytes:
        return json_answer(error(message, -1, f"bad token {VALUE}"), "400 Bad")

    with ScriptedMcp(tools_call=say) as server:
        outcome = ask(server, operator, headers={"authorization": {"secret": "api"}})
    assert outcome.error is not None
    assert "bad token" in outcome.error.message
    assert TOKEN[:10] not in outcome.error.message


def test_a_secret_for_another_host_is_not_sent(operator: User) -> None:
    make_secret(operator)
    with ScriptedMcp() as server:
        outcome = ask(server, operator, headers={"authorization": {"secret": "api"}})
        assert code_of(outcome) == "secret_host_not_allowed"
        assert server.requests == []


# --- The older revision's sessions ---


class Older(ScriptedMcp):
    """2025-11-25: `initialize`, and a session."""

    session = "s-1"
    version = "2025-11-25"

    def _usual(self, name: str, message: Told) -> bytes:
        if name == "server_discover":
            return http_answer(b"Bad Request", status="400 Bad Request")
        if name == "initialize":
            held = {
                "protocolVersion": self.version,
                "capabilities": {},
                "serverInfo": {"name": "x"},
            }
            return json_answer(result(message, **held), **{"Mcp-Session-Id": self.session})
        if name == "notifications_initialized":
            return http_answer(status="202 Accepted")
        return super()._usual(name, message)


def test_the_session_goes_along_and_so_does_the_version(operator: User) -> None:
    with Older() as server:
        assert ask(server, operator).success
        heads = [head_of(request) for request in server.requests]
        methods = [json.loads(r.partition(b"\r\n\r\n")[2])["method"] for r in server.requests]
    assert methods == [
        *("server/discover", "initialize", "notifications/initialized"),
        *("tools/list", "tools/call"),
    ]
    assert heads[0]["mcp-protocol-version"] == "2026-07-28"
    assert "mcp-session-id" not in heads[1]
    for head in heads[2:]:
        assert (head["mcp-session-id"], head["mcp-protocol-version"]) == ("s-1", "2025-11-25")
    assert "mcp-method" not in heads[-1]
    assert heads[-1]["idempotency-key"]


def test_a_session_is_begun_anew_once_and_not_for_ever(operator: User) -> None:
    with Older(tools_call=lambda *_: http_answer(status="404 Not Found")) as server:
        assert code_of(ask(server, operator)) == "mcp_error"
        assert len(server.sent("initialize")) == 2
        assert len(server.sent("tools/call")) == 2


@pytest.mark.parametrize("session", ["has blank", "x" * 513, "\u00e9"])
def test_a_session_id_that_can_not_be_sent_back_is_refused(session: str, operator: User) -> None:
    with Older() as server:
        server.session = session
        assert code_of(ask(server, operator)) == "mcp_error"
        assert server.sent("tools/call") == []


@pytest.mark.parametrize("version", ["2024-11-05", "9999-01-01", "", None, ["2025-11-25"]])
def test_a_version_that_is_not_ours_is_refused(version: Any, operator: User) -> None:
    with Older() as server:
        server.version = version
        assert code_of(ask(server, operator)) == "mcp_error"


def test_a_server_that_supports_none_of_ours_is_told_so(operator: User) -> None:
    def say(message: Told, _peer: socket.socket) -> bytes:
        told = error(message, -32022, "Unsupported", supported=["2027-01-01"])
        return json_answer(told, "400 Bad Request")

    with ScriptedMcp(server_discover=say) as server:
        outcome = ask(server, operator)
        assert code_of(outcome) == "mcp_error"
        assert outcome.error is not None
        assert "2027-01-01" in outcome.error.message
        assert server.sent("initialize") == []


@pytest.mark.parametrize("method", ["sampling/createMessage", "elicitation/create", "roots/list"])
def test_what_the_server_asks_is_refused_and_a_ping_answered(method: str, operator: User) -> None:
    def say(message: Told, peer: socket.socket) -> None:
        asks = {"jsonrpc": "2.0", "id": 7, "method": method, "params": {}}
        ping = {"jsonrpc": "2.0", "id": "p", "method": "ping"}
        stream(peer, asks, ping, result(message, content=[]))

    with Older(tools_call=say) as server:
        assert ask(server, operator).success
        told = [json.loads(r.partition(b"\r\n\r\n")[2]) for r in server.requests[-2:]]
    assert told[0]["id"] == 7
    assert told[0]["error"]["code"] == -32601
    assert told[1] == {"jsonrpc": "2.0", "id": "p", "result": {}}


def test_a_server_that_asks_back_for_ever_is_left(operator: User) -> None:
    def say(_message: Told, peer: socket.socket) -> None:
        asks = {"jsonrpc": "2.0", "id": 7, "method": "ping"}
        with contextlib.suppress(OSError):
            stream(peer, *[asks] * 1000)

    with Older(tools_call=say) as server:
        outcome = ask(server, operator)
        assert code_of(outcome) == "mcp_error"
        answered = [r for r in server.requests if b'"result": {}' in r]
    assert len(answered) == MAX_ASKED_BACK


def test_a_stream_that_breaks_off_is_asked_for_again(operator: User) -> None:
    kept: list[Told] = []

    def say(message: Told, peer: socket.socket) -> None:
        kept.append(message)
        stream(peer, b"id: 41\nretry: 10\ndata:\n\n")

    def again(_message: Told, peer: socket.socket) -> None:
        stream(peer, result(kept[0], content=[{"type": "text", "text": "later"}]))

    with Older(tools_call=say, GET=again) as server:
        outcome = ask(server, operator)
        assert outcome.result is not None
        assert outcome.result.data["text"] == "later"
        assert head_of(server.requests[-1])["last-event-id"] == "41"
        assert head_of(server.requests[-1])["mcp-session-id"] == "s-1"


# --- Of an act outside nobody may be told wrongly ---


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (http_answer(b"{", headers={"Content-Type": "application/json"}), "outcome_unknown"),
        (http_answer(b"", status="502 Bad"), "outcome_unknown"),
        (b"", "outcome_unknown"),
        (http_answer(b"", status="401 No"), "error"),
        (http_answer(b"", status="400 No"), "error"),
    ],
)
def test_a_write_whose_answer_is_lost_is_not_called_failed(
    said: bytes, status: str, operator: User
) -> None:
    with ScriptedMcp([TOOL], tools_call=lambda *_: said) as server:
        tool = tool_at(operator, server.url, TOOL, write_domains=["127.0.0.1"])
        outcome = call_tool(tool, {"query": "x"}, context_for(operator))
        assert len(server.sent("tools/call")) == 1
    assert outcome.call.status == status


def test_a_write_that_never_left_has_failed(operator: User) -> None:
    with ScriptedMcp([TOOL], tools_list=lambda *_: http_answer(status="500 Oh")) as server:
        tool = tool_at(operator, server.url, TOOL, write_domains=["127.0.0.1"])
        outcome = call_tool(tool, {"query": "x"}, context_for(operator))
    assert outcome.call.status == CallStatus.ERROR
    assert ActionDraft.objects.get().state == "failed"
