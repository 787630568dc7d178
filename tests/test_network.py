"""The guard that keeps the tests on this machine."""

import socket
from collections.abc import Iterator

import pytest

from tests.network import NetworkGuard, is_loopback

# An address that documentation may use and nobody answers at (RFC 5737).
ELSEWHERE = ("192.0.2.1", 9)


@pytest.fixture
def guard(network_guard: NetworkGuard) -> Iterator[NetworkGuard]:
    """The session's own guard; what these tests provoke does not count against them."""
    yield network_guard
    network_guard.attempts.clear()


def test_it_refuses_to_connect_elsewhere(guard: NetworkGuard) -> None:
    with socket.socket() as client, pytest.raises(OSError, match="stay on this machine"):
        client.connect(ELSEWHERE)
    assert guard.attempts == ["192.0.2.1:9"]


def test_it_refuses_datagrams_to_elsewhere(guard: NetworkGuard) -> None:
    with (
        socket.socket(type=socket.SOCK_DGRAM) as client,
        pytest.raises(OSError, match="stay on this machine"),
    ):
        client.sendto(b"", ELSEWHERE)


def test_it_refuses_to_resolve_names(guard: NetworkGuard) -> None:
    with pytest.raises(OSError, match="the name example"):
        socket.getaddrinfo("example.org", 80)


def test_it_lets_loopback_pass() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(("localhost", server.getsockname()[1])).close()


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("10.0.0.1", False),
        ("0.0.0.0", False),
        ("fe80::1%eth0", False),
        ("example.org", False),
    ],
)
def test_it_knows_loopback(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected
