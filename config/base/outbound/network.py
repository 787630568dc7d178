"""The two things that touch the network: looking a name up and dialling an address.

Tests replace both (`outbound.testing`); nothing else of the client is ever replaced.
"""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv6Address

from config.base.outbound.addresses import parse_address

type Lookup = Callable[[str, int], list[str]]  # addresses as text; raises OSError
type Dial = Callable[[str, int, float], socket.socket]  # address, port, timeout in seconds


@dataclass(frozen=True, slots=True)
class Network:
    lookup: Lookup
    dial: Dial


def system_lookup(host: str, port: int) -> list[str]:
    answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(answer[4][0]) for answer in answers))


def system_dial(address: str, port: int, timeout: float) -> socket.socket:
    """Connects to a literal address; `create_connection` would look it up again."""
    is_ipv6 = isinstance(parse_address(address), IPv6Address)
    peer = socket.socket(socket.AF_INET6 if is_ipv6 else socket.AF_INET, socket.SOCK_STREAM)
    try:
        peer.settimeout(timeout)
        peer.connect((address, port))
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except BaseException:
        peer.close()
        raise
    return peer


SYSTEM = Network(system_lookup, system_dial)
_current = SYSTEM


def current_network() -> Network:
    return _current


@contextmanager
def use_network(network: Network) -> Iterator[Network]:
    """For tests: every client of this process, in every thread, uses `network` meanwhile."""
    global _current
    before, _current = _current, network
    try:
        yield network
    finally:
        _current = before
