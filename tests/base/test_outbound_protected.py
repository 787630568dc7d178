"""What is never dialled, whatever was opened: ourselves, the database and the broker."""

from ipaddress import ip_address
from types import SimpleNamespace
from typing import Any

import pytest
from pytest_django import Settings

from config.base.outbound.addresses import parse_networks
from config.base.outbound.client import OutboundClient
from config.base.outbound.deadline import Deadline
from config.base.outbound.errors import AddressRefused
from config.base.outbound.hops import OutboundRequest
from config.base.outbound.hosts import IPAddress
from config.base.outbound.policy import OutboundPolicy
from config.base.outbound.protected import (
    Endpoint,
    Protection,
    is_local_address,
    parse_endpoint,
    protected_endpoints,
)
from config.base.outbound.testing import FakeNetwork, ScriptedServer, http_answer

EVERYTHING = parse_networks(["0.0.0.0/0", "::/0"])
OURS = ip_address("192.168.0.5")  # of this machine, in these tests


def is_local(address: IPAddress) -> bool:
    return address == OURS or is_local_address(address)


@pytest.mark.parametrize(
    ("endpoint", "address", "port", "covered"),
    [
        ("127.0.0.1:8000", "127.0.0.1", 8000, True),
        ("127.0.0.1:8000", "127.0.0.1", 8001, False),
        ("127.0.0.1:8000", "127.0.0.2", 8000, True),
        ("127.0.0.1:8000", "::1", 8000, True),
        ("127.0.0.1:8000", "::ffff:127.0.0.1", 8000, True),
        ("127.0.0.1:8000", "0.0.0.0", 8000, True),
        ("127.0.0.1:8000", "::", 8000, True),
        ("127.0.0.1:8000", "192.168.0.5", 8000, True),
        ("127.0.0.1:8000", "192.168.0.6", 8000, False),
        ("0.0.0.0:8000", "127.0.0.1", 8000, True),
        ("[::]:8000", "127.0.0.1", 8000, True),
        ("[::1]:8000", "127.0.0.1", 8000, True),
        ("localhost:8000", "127.0.0.1", 8000, True),
        ("localhost:8000", "::1", 8000, True),
        ("192.168.0.5:8000", "127.0.0.1", 8000, True),
        ("192.168.0.5:8000", "192.168.0.5", 8000, True),
        ("db.internal:5432", "10.0.0.9", 5432, True),
        ("db.internal:5432", "::ffff:10.0.0.9", 5432, True),
        ("db.internal:5432", "10.0.0.8", 5432, False),
        ("db.internal:5432", "10.0.0.9", 80, False),
        ("gone.internal:5432", "10.0.0.9", 5432, False),
    ],
)
def test_it_compares_addresses_and_ports(
    endpoint: str, address: str, port: int, covered: bool
) -> None:
    network = FakeNetwork(names={"db.internal": [["10.0.0.9"]], "gone.internal": [[]]})
    protection = Protection([parse_endpoint(endpoint)], network.lookup, Deadline.after(5), is_local)
    assert protection.covers(ip_address(address), port) is covered


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{}/", "http://127.1:{}/", "http://127.0.0.2:{}/", "http://[::1]:{}/",
        "http://0.0.0.0:{}/", "http://localhost:{}/", "http://[::ffff:127.0.0.1]:{}/",
        "http://innocent.example:{}/", "http://gatehouse.internal:{}/",
    ],
)  # fmt: skip
def test_it_does_not_dial_ourselves_even_when_everything_is_open(url: str) -> None:
    with ScriptedServer(lambda _request, peer: peer.sendall(http_answer(b"admin"))) as server:
        port = server.address[1]
        names = {"localhost": [["127.0.0.1"]], "innocent.example": [["127.0.0.1"]]}
        network = FakeNetwork(server.address, names=names)
        client = OutboundClient(
            OutboundPolicy(allowed_networks=EVERYTHING),
            network=network.network,
            protected=[Endpoint("127.0.0.1", port), Endpoint("gatehouse.internal", port)],
        )
        with pytest.raises(AddressRefused, match="no setting opens it"):
            client.send(OutboundRequest(url=url.format(port)), Deadline.after(5))
    assert network.dialled == []


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("", set()),
        ("redis://127.0.0.1:6380/0", {("127.0.0.1", 6380)}),
        ("rediss://user:secret@cache.internal/1", {("cache.internal", 6379)}),
        ("redis:///0", {("localhost", 6379)}),
        ("unix:///run/redis.sock", set()),
    ],
)
def test_the_broker_is_never_dialled(
    settings: Settings, url: str, expected: set[tuple[str, int]]
) -> None:
    settings.REDIS_URL = ""
    without = protected_endpoints()
    settings.REDIS_URL = url
    assert {(end.host, end.port) for end in protected_endpoints() - without} == expected


def test_it_dials_another_port_of_loopback_that_was_opened() -> None:
    with ScriptedServer(lambda _request, peer: peer.sendall(http_answer(b"hi"))) as server:
        client = OutboundClient(
            OutboundPolicy(allowed_networks=parse_networks(["127.0.0.0/8"])),
            network=FakeNetwork(server.address).network,
            protected=[Endpoint("127.0.0.1", server.address[1] + 1)],
        )
        url = f"http://127.0.0.1:{server.address[1]}/"
        assert client.send(OutboundRequest(url=url), Deadline.after(5)).content == b"hi"


@pytest.mark.parametrize(
    ("database", "expected"),
    [
        ({"ENGINE": "django.db.backends.sqlite3", "NAME": "x"}, set()),
        ({"ENGINE": "django.db.backends.postgresql", "HOST": "db"}, {("db", 5432)}),
        ({"ENGINE": "django.db.backends.postgresql", "HOST": "db", "PORT": "6543"}, {("db", 6543)}),
        ({"ENGINE": "django.db.backends.postgresql", "HOST": ""}, {("localhost", 5432)}),
        ({"ENGINE": "django.db.backends.postgresql", "HOST": "/run/pg"}, {("localhost", 5432)}),
        (
            {"ENGINE": "django.db.backends.postgresql", "HOST": "a,b", "PORT": 1},
            {("a", 1), ("b", 1)},
        ),
        (
            {
                "ENGINE": "django.db.backends.postgresql",
                "HOST": "a",
                "OPTIONS": {"hostaddr": "::1"},
            },
            {("a", 5432), ("::1", 5432)},
        ),
    ],
)
def test_it_protects_the_database(
    monkeypatch: pytest.MonkeyPatch, database: dict[str, Any], expected: set[tuple[str, int]]
) -> None:
    fake = SimpleNamespace(DATABASES={"default": database})
    monkeypatch.setattr("config.base.outbound.protected.settings", fake)
    assert {(endpoint.host, endpoint.port) for endpoint in protected_endpoints()} == expected


def test_it_protects_our_own_origins(settings: Any) -> None:
    settings.OWN_ORIGINS = ["127.0.0.1:8000", "gatehouse.example:443", "[::1]:8000"]
    assert {
        Endpoint("127.0.0.1", 8000),
        Endpoint("gatehouse.example", 443),
        Endpoint("[::1]", 8000),
    } <= protected_endpoints()


@pytest.mark.parametrize("text", ["example.com", ":80", "example.com:http", ""])
def test_it_refuses_a_setting_that_would_protect_nothing(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_endpoint(text)
