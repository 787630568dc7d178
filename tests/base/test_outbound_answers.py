"""Whatever a peer sends, slowly or without end, the call ends with an answer or a code."""

import socket

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config.base.outbound.client import OutboundClient, OutboundResponse
from config.base.outbound.deadline import Deadline
from config.base.outbound.errors import HeaderNotAllowed, OutboundError
from config.base.outbound.headers import FRAMING
from config.base.outbound.hops import OutboundRequest
from config.base.outbound.policy import OutboundPolicy
from config.base.outbound.testing import FakeNetwork, ScriptedServer, http_answer
from tests.base.wire import leads_inside

many = settings(max_examples=200, derandomize=True, deadline=None)
few = settings(max_examples=12, derandomize=True, deadline=None)
LIMIT = 1_000
MEGABYTE = 1024 * 1024


def send(
    server: ScriptedServer,
    network: FakeNetwork | None = None,
    seconds: float = 5,
    **fields: object,
) -> OutboundResponse | str:
    """The answer, or the code of the failure."""
    network = network or FakeNetwork()
    network.server = server.address
    client = OutboundClient(
        OutboundPolicy(max_response_bytes=LIMIT), network=network.network, protected=()
    )
    request = OutboundRequest(**{"url": "http://a.example/", **fields})  # type: ignore[arg-type]  # a test's own words
    try:
        return client.send(request, Deadline.after(seconds))
    except OutboundError as error:
        return error.code


# --- What is said ---

STATUS = st.sampled_from(
    [
        "HTTP/1.1 200 OK", "HTTP/1.0 200", "HTTP/1.1 204 None", "HTTP/1.1 304 x", "HTTP/1.1 302 x",
        "HTTP/1.1 101 Switching Protocols", "HTTP/1.1 999 x", "HTTP/1.1 099 x", "HTTP/2 200", "",
        "HTTP/1.1 103 Early", "HTTP/1.1  200 OK", "ICY 200 OK", "HTTP/1.1 200 \x00",
    ]
)  # fmt: skip
HEADER = st.sampled_from(
    [
        "Content-Length: 5", "Content-Length: 5, 5", "Content-Length: 6", "Content-Length: -1",
        "Content-Length: +5", "Content-Length: 99999999999999999999", "Content-Length: 0x5",
        "Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: x",
        "Transfer-Encoding : chunked", "Content-Encoding: gzip", "Content-Encoding: br",
        "Content-Encoding: deflate", "Location: http://127.0.0.1/", "Location: /x\r\n y",
        "Location: http://b.example/", "Location:", "X-Long: " + "x" * 9_000, "X: \xff\xfe",
        "X-Folded: a\r\n b\r\n\tc", "No colon", ": empty", "X\x00Y: 1", "Connection: Upgrade",
        "Set-Cookie: a=b", "Content-Type: text/html; charset=\xe9", "\r\nX: in the body",
    ]
)  # fmt: skip
CONTENT = st.one_of(
    st.sampled_from(
        [
            b"hello", b"",
            b"5\r\nhello\r\n0\r\n\r\n", b"5\r\nhel", b"5;x=y\r\nhello\r\n0\r\nT: 1\r\n\r\n",
            b"zz\r\n", b"-5\r\nhello", b"FFFFFFFFFFFFFFFF\r\nx", b"0\r\n" + b"T: x\r\n" * 5_000,
            b"5" + b";x" * 60_000 + b"\r\nhello\r\n0\r\n\r\n", b"x" * 5_000,
        ]
    ),
    st.binary(max_size=300),
)  # fmt: skip


@many
@given(STATUS, st.lists(HEADER, max_size=6), CONTENT, st.sampled_from(["\r\n", "\n"]))
def test_any_answer_is_read_or_refused(
    status: str, headers: list[str], content: bytes, line_end: str
) -> None:
    head = line_end.join([status, *headers, "", ""]).encode("latin-1")
    network = FakeNetwork()
    with ScriptedServer(lambda _request, peer: peer.sendall(head + content)) as server:
        answer = send(server, network)
    assert not any(leads_inside(address) for address, _port in network.dialled)
    if isinstance(answer, OutboundResponse):
        assert len(answer.content) <= LIMIT
        assert all(name == name.lower() for name, _value in answer.headers)
    else:
        assert answer in (
            "response_invalid", "too_many_redirects", "address_refused", "url_invalid", "timeout",
        )  # fmt: skip


@many
@given(st.binary(max_size=2_000))
def test_any_bytes_are_no_crash(content: bytes) -> None:
    with ScriptedServer(lambda _request, peer: peer.sendall(content)) as server:
        answer = send(server)
    assert answer == "response_invalid" or isinstance(answer, OutboundResponse)


# --- Slowly ---

WHOLE = (
    b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
    b"X-A: 1\r\n\r\n5\r\nhello\r\n5;x=y\r\nhello\r\n0\r\nX-Trailer: 1\r\n\r\n"
)


@few
@given(st.integers(0, len(WHOLE) - 1))
def test_wherever_a_peer_stops_the_call_ends(position: int) -> None:
    def respond(_request: bytes, peer: socket.socket) -> None:
        peer.sendall(WHOLE[:position])
        server.stopped.wait(5)

    with ScriptedServer(respond) as server:
        assert send(server, seconds=0.1) == "timeout"


@few
@given(st.integers(0, len(WHOLE) - 10), st.sampled_from([b"x", b"\r\n", b"1", b" "]))
def test_wherever_a_peer_drips_the_call_ends(position: int, drop: bytes) -> None:
    def respond(_request: bytes, peer: socket.socket) -> None:
        peer.sendall(WHOLE[:position])
        while not server.stopped.wait(0.01):
            peer.sendall(drop)

    with ScriptedServer(respond) as server:
        answer = send(server, seconds=0.2)
    assert isinstance(answer, OutboundResponse) or answer in ("timeout", "response_invalid")


def test_a_peer_that_does_not_read_does_not_hold_the_call() -> None:
    def accept_only(listener: socket.socket) -> str:
        network = FakeNetwork(listener.getsockname()[:2])
        client = OutboundClient(OutboundPolicy(), network=network.network, protected=())
        request = OutboundRequest(url="http://a.example/", method="POST", body=b"x" * 64 * MEGABYTE)
        with pytest.raises(OutboundError) as failed:
            client.send(request, Deadline.after(0.3))
        assert failed.value.details["request_sent"] is True
        return failed.value.code

    with socket.create_server(("127.0.0.1", 0)) as listener:
        assert accept_only(listener) == "timeout"


# --- Without end ---


@pytest.mark.parametrize(
    ("start", "piece"),
    [
        (b"HTTP/1.1 200 OK\r\n", b"X-A: " + b"x" * 1_000 + b"\r\n"),
        (b"HTTP/1.1 200 OK\r\nX-A: ", b"x" * 1_000),
        (b"HTTP/1.1 200 OK\r\nX-A: 1\r\n", b" folded\r\n" * 100),
        (b"HTTP/1.1 200 OK\r\n", b"X-Same: 1\r\n" * 100),
        (b"", b"HTTP/1.1 103 Early Hints\r\nX-A: " + b"x" * 1_000 + b"\r\n\r\n"),
        (b"", b"x" * 1_000),
        (b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 1_000),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 100),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1", b";x=y" * 100),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            b"1" + b";x=y" * 20_000 + b"\r\nx\r\n",
        ),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"X-Trailer: 1\r\n" * 50),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"0" * 1_000),
    ],
    ids=[
        "headers", "one header", "folds", "the same header", "interim answers", "the status line",
        "a body", "chunks", "a chunk's extension", "extensions",
        "trailers", "a chunk's size",
    ],
)  # fmt: skip
def test_what_has_no_end_is_not_read_to_it(start: bytes, piece: bytes) -> None:
    sent = 0

    def respond(_request: bytes, peer: socket.socket) -> None:
        nonlocal sent
        peer.sendall(start)
        while sent < 100 * MEGABYTE:
            peer.sendall(piece)
            sent += len(piece)

    with ScriptedServer(respond) as server:
        answer = send(server, seconds=20)
    assert isinstance(answer, OutboundResponse) or answer == "response_invalid"
    assert sent < 20 * MEGABYTE  # what lies in the system's buffers, and not more


# --- What a caller puts into headers ---

NAMES = st.one_of(
    st.sampled_from([*sorted(FRAMING), "Proxy-Anything", "HOST", "Content-length", "Cookie", "X-A",
                     "X-A:", "X A", "", "X\r\nHost", "x-\xe9", "Transfer-Encoding ", "Host\x00"]),
    st.text("abHost-:\r\n \t\x00é", max_size=8),
)  # fmt: skip
VALUES = st.one_of(
    st.sampled_from(["1", "", "a\r\nHost: b.example", "a\r\n folded", "a\nb", "a\rb", "\x00", "é",
                     "你", "a\x85b", "a\u2028b", "a\x7f", "\t a \t", "x" * 9_000, "\ud800"]),
    st.text(max_size=10),
)  # fmt: skip


def lines_of(request: bytes) -> list[tuple[bytes, bytes]]:
    head, _blank, _body = request.partition(b"\r\n\r\n")
    pairs = [line.partition(b": ") for line in head.split(b"\r\n")[1:]]
    return [(name, value) for name, _colon, value in pairs]


@many
@given(st.dictionaries(NAMES, VALUES, max_size=5), st.sampled_from(["GET", "POST"]))
def test_a_caller_adds_whole_headers_and_frames_nothing(
    headers: dict[str, str], method: str
) -> None:
    body = b"payload" if method == "POST" else None
    with ScriptedServer(lambda _request, peer: peer.sendall(http_answer(b"hi"))) as server:
        answer = send(server, method=method, headers=headers, body=body)
    if isinstance(answer, str):
        assert answer == HeaderNotAllowed.code
        assert server.requests == []
        return
    [request] = server.requests
    sent = dict(lines_of(request))
    assert len(sent) == len(lines_of(request))
    framing = {b"host": b"a.example", b"connection": b"close", b"accept-encoding": b"gzip, deflate"}
    framing |= {b"content-length": b"7"} if body else {}
    assert {name: value for name, value in sent.items() if name.decode() in FRAMING} == framing
    for name, value in headers.items():
        assert sent[name.lower().encode()] == value.strip(" \t").encode("latin-1")
    assert request.partition(b"\r\n\r\n")[2] == (body or b"")


def test_what_is_sent_twice_in_other_letters_is_refused() -> None:
    with ScriptedServer(lambda _request, peer: peer.sendall(http_answer())) as server:
        assert send(server, headers={"X-A": "1", "x-a": "2"}) == HeaderNotAllowed.code
    assert server.requests == []


def test_a_connection_serves_one_request_only() -> None:
    """A second answer behind the first one is nobody's."""
    both = http_answer(b"first") + http_answer(b"second")
    with ScriptedServer(lambda _request, peer: peer.sendall(both)) as server:
        answers = [send(server), send(server)]
    assert [answer.content for answer in answers if isinstance(answer, OutboundResponse)] == [
        b"first",
        b"first",
    ]
    assert len(server.requests) == 2
