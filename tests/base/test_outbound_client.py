"""The client's own contract: hops, headers, TLS, what stays unsaid."""

import ssl
import time
from collections.abc import Callable
from pathlib import Path
from socket import socket
from typing import Any

import pytest
from django.db import connection

from config.base.models import User
from config.base.outbound.client import OutboundClient
from config.base.outbound.deadline import Deadline
from config.base.outbound.errors import (
    AddressRefused,
    ConnectFailed,
    OutboundError,
    OutboundTimeout,
    TlsFailed,
)
from config.base.outbound.hops import Hop, OutboundRequest
from config.base.outbound.network import Network, current_network, system_lookup, use_network
from config.base.outbound.policy import OutboundPolicy
from config.base.outbound.resolver import resolve
from config.base.outbound.testing import PUBLIC, FakeNetwork, ScriptedServer, http_answer

TLS = Path(__file__).parent.parent / "data" / "tls"  # an authority of these tests only, until 2126


def scripted(*answers: bytes) -> Callable[[bytes, socket], None]:
    left = list(answers)
    return lambda _request, peer: peer.sendall(left.pop(0))


def moved(location: str, status: int = 302) -> bytes:
    return http_answer(status=f"{status} Moved", headers={"Location": location})


def client_for(
    server: ScriptedServer, network: FakeNetwork | None = None, **options: Any
) -> OutboundClient:
    network = network or FakeNetwork()
    network.server = server.address
    return OutboundClient(OutboundPolicy(), network=network.network, protected=(), **options)


def request(**fields: Any) -> OutboundRequest:
    return OutboundRequest(**{"url": "http://a.example/", **fields})


# --- Redirects (RFC 9110, 15.4) ---


@pytest.mark.parametrize(
    ("method", "status", "followed_by", "keeps_body"),
    [
        ("POST", 301, "GET", False),
        ("POST", 302, "GET", False),
        ("POST", 303, "GET", False),
        ("POST", 307, "POST", True),
        ("POST", 308, "POST", True),
        ("PUT", 301, "PUT", True),
        ("PUT", 303, "GET", False),
        ("DELETE", 302, "DELETE", True),
        ("GET", 303, "GET", True),
    ],
)
def test_it_keeps_or_changes_the_method(
    method: str, status: int, followed_by: str, keeps_body: bool
) -> None:
    with ScriptedServer(scripted(moved("/next", status), http_answer())) as server:
        headers = {"Content-Type": "text/x", "X-A": "1"}
        client_for(server).send(
            request(method=method, body=b"payload", headers=headers), Deadline.after(5)
        )
    second = server.requests[1]
    assert second.startswith(f"{followed_by} /next HTTP/1.1\r\n".encode())
    assert second.endswith(b"payload") is keeps_body
    assert (b"content-type: text/x" in second.lower()) is keeps_body
    assert b"x-a: 1" in second.lower()


def test_it_drops_secrets_when_https_is_left(tls: ssl.SSLContext) -> None:
    answers = iter([moved("http://tls.example/")])
    with (
        ScriptedServer(lambda _request, peer: peer.sendall(next(answers)), server_tls()) as secure,
        ScriptedServer(scripted(http_answer(b"plain"))) as plain,
    ):
        network = FakeNetwork()
        ports = {443: secure.address, 80: plain.address}

        def dial(address: str, port: int, timeout: float) -> socket:
            network.server = ports[port]
            return network.dial(address, port, timeout)

        client = OutboundClient(
            OutboundPolicy(), network=Network(network.lookup, dial), protected=(), ssl_context=tls
        )
        sent = request(url="https://tls.example/", headers={"Authorization": "x", "X-Key": "y"})
        assert client.send(sent, Deadline.after(5)).content == b"plain"
    assert b"authorization: x" in secure.requests[0].lower()
    assert b"authorization" not in plain.requests[0].lower()
    assert b"x-key" not in plain.requests[0].lower()


def test_it_asks_about_each_hop_before_anything_is_looked_up() -> None:
    seen: list[tuple[str, int]] = []

    class Tainted(OutboundError):
        pass

    def judge(hop: Hop) -> None:
        seen.append((str(hop.url), hop.number))
        if hop.number == 1:
            raise Tainted

    network = FakeNetwork()
    with (
        ScriptedServer(scripted(moved("http://b.example/x"))) as server,
        pytest.raises(Tainted),
    ):
        client_for(server, network).send(request(), Deadline.after(5), judge)
    assert seen == [("http://a.example/", 0), ("http://b.example/x", 1)]
    assert network.lookups == ["a.example"]


def test_it_says_which_way_it_went() -> None:
    with ScriptedServer(scripted(moved("http://b.example/"), http_answer(b"x"))) as server:
        response = client_for(server).send(request(), Deadline.after(5))
    assert [str(url) for url in response.hops] == ["http://a.example/"]
    assert str(response.url) == "http://b.example/"


# --- TLS ---


def server_tls() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "server.pem")
    return context


@pytest.fixture
def tls() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(TLS / "ca.pem"))


def test_it_verifies_the_name_and_dials_the_judged_address(tls: ssl.SSLContext) -> None:
    network = FakeNetwork()
    with ScriptedServer(scripted(http_answer(b"secret")), server_tls()) as server:
        response = client_for(server, network, ssl_context=tls).send(
            request(url="https://tls.example/"), Deadline.after(5)
        )
    assert response.content == b"secret"
    assert network.dialled == [(PUBLIC, 443)]
    assert network.lookups == ["tls.example"]


@pytest.mark.parametrize("url", ["https://other.example/", f"https://{PUBLIC}/"])
def test_it_refuses_a_certificate_of_another_name(url: str, tls: ssl.SSLContext) -> None:
    with (
        ScriptedServer(scripted(http_answer()), server_tls()) as server,
        pytest.raises(TlsFailed, match="not trusted") as failed,
    ):
        client_for(server, ssl_context=tls).send(request(url=url), Deadline.after(5))
    assert failed.value.details == {"request_sent": False}
    assert server.requests == []


def test_it_refuses_a_certificate_that_nobody_vouches_for() -> None:
    with (
        ScriptedServer(scripted(http_answer()), server_tls()) as server,
        pytest.raises(TlsFailed, match="not trusted"),
    ):
        client_for(server).send(request(url="https://tls.example/"), Deadline.after(5))


# --- Addresses and time ---


def test_it_tries_the_next_address_within_its_share_of_the_time() -> None:
    network = FakeNetwork(default=[PUBLIC, "8.8.8.8", "1.1.1.1"])
    shares: list[float] = []

    def dial(address: str, port: int, timeout: float) -> socket:
        shares.append(timeout)
        if address != "1.1.1.1":
            raise TimeoutError
        return network.dial(address, port, timeout)

    with ScriptedServer(scripted(http_answer(b"third"))) as server:
        network.server = server.address
        client = OutboundClient(
            OutboundPolicy(), network=Network(network.lookup, dial), protected=()
        )
        assert client.send(request(), Deadline.after(6)).content == b"third"
    assert [round(share) for share in shares] == [2, 3, 6]


def test_it_dials_few_of_many_addresses() -> None:
    network = FakeNetwork(default=[f"8.8.8.{number}" for number in range(200)])
    client = OutboundClient(OutboundPolicy(), network=network.network, protected=())
    with pytest.raises(ConnectFailed):
        client.send(request(), Deadline.after(5))
    assert len(network.dialled) == 4


def test_it_tells_nothing_of_the_address_inside() -> None:
    network = FakeNetwork(default=["10.11.12.13"])
    client = OutboundClient(OutboundPolicy(), network=network.network, protected=())
    with pytest.raises(AddressRefused, match="Ask an operator") as refused:
        client.send(request(), Deadline.after(5))
    assert "10.11" not in refused.value.message


@pytest.mark.parametrize(
    ("location", "code"),
    [
        ("http://10.0.0.1/", "address_refused"),
        ("ftp://b.example/", "scheme_not_allowed"),
        ("http://user:pw@b.example/", "url_invalid"),
        ("http://a.example/", "too_many_redirects"),
    ],
)
@pytest.mark.parametrize("status", [303, 307])
def test_what_fails_behind_a_redirect_does_not_undo_the_post(
    location: str, code: str, status: int
) -> None:
    answers = [moved(location, status)] * 9
    with (
        ScriptedServer(scripted(*answers)) as server,
        pytest.raises(OutboundError) as failed,
    ):
        client_for(server).send(request(method="POST", body=b"x"), Deadline.after(5))
    assert failed.value.code == code
    assert failed.value.details["request_sent"] is True


def test_it_says_whether_the_request_may_have_arrived() -> None:
    with (
        ScriptedServer(lambda _request, _peer: None) as server,
        pytest.raises(OutboundError) as failed,
    ):
        client_for(server).send(request(method="POST", body=b"x"), Deadline.after(5))
    assert failed.value.details == {"request_sent": True}


def test_it_sends_nothing_after_the_deadline() -> None:
    network = FakeNetwork()
    client = OutboundClient(OutboundPolicy(), network=network.network, protected=())
    with pytest.raises(OutboundTimeout):
        client.send(request(), Deadline(time.monotonic() - 1))
    assert network.dialled == []


def test_it_waits_for_a_free_look_up_no_longer_than_the_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class NoneFree:
        def acquire(self, timeout: float) -> bool:
            return False

    monkeypatch.setattr("config.base.outbound.resolver._slots", NoneFree())
    with pytest.raises(OutboundTimeout):
        resolve(FakeNetwork().lookup, "a.example", 80, Deadline.after(1))


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_it_holds_no_connection_of_the_pool_while_it_waits() -> None:
    """Of either hop: what judges a redirect may ask the database."""
    held: list[bool] = []

    def ask(_hop: Hop) -> None:
        assert not User.objects.filter(username="nobody").exists()

    network = FakeNetwork()

    def dial(address: str, port: int, timeout: float) -> socket:
        held.append(connection.connection is not None)
        return network.dial(address, port, timeout)

    with ScriptedServer(scripted(moved("/next"), http_answer())) as server:
        network.server = server.address
        client = OutboundClient(
            OutboundPolicy(), network=Network(network.lookup, dial), protected=()
        )
        client.send(request(), Deadline.after(5), ask)
    assert held == [connection.vendor == "sqlite"] * 2


# --- The environment ---


@pytest.fixture
def system_names(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What reaches `getaddrinfo`."""
    asked: list[object] = []

    def answer(host: object, port: int, **_options: object) -> list[tuple[object, ...]]:
        asked.append(host)
        return [(2, 1, 6, "", (PUBLIC, port)), (2, 1, 6, "", (PUBLIC, port))]

    monkeypatch.setattr("socket.getaddrinfo", answer)
    return asked


def test_it_looks_a_name_up_once_and_as_text(system_names: list[object]) -> None:
    network = FakeNetwork()
    with ScriptedServer(scripted(http_answer(b"hi"))) as server:
        network.server = server.address
        client = OutboundClient(
            OutboundPolicy(), network=Network(system_lookup, network.dial), protected=()
        )
        client.send(request(), Deadline.after(5))
    assert system_names == ["a.example"]
    assert network.dialled == [(PUBLIC, 80)]


def test_it_ignores_proxies_and_netrc_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine a.example login x password y")
    monkeypatch.setenv("NETRC", str(netrc))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with ScriptedServer(scripted(http_answer(b"direct"))) as server:
        response = client_for(server).send(request(), Deadline.after(5))
    assert response.content == b"direct"
    assert b"authorization" not in server.requests[0].lower()


def test_it_sends_no_cookies_back() -> None:
    cookie = http_answer(
        status="302 Moved", headers={"Location": "/next", "Set-Cookie": "sid=1; Path=/"}
    )
    with ScriptedServer(scripted(cookie, http_answer())) as server:
        client_for(server).send(request(), Deadline.after(5))
    assert b"cookie" not in server.requests[1].lower()


def test_it_uses_the_network_that_a_test_put_in_place() -> None:
    network = FakeNetwork().network
    with use_network(network):
        assert current_network() is network
    assert current_network() is not network
