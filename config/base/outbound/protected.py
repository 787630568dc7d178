"""What is never dialled on an agent's behalf, whatever an operator opened.

Our own origin, the database and the broker: a request from inside would come with the standing of
this machine. They are compared as (address, port), so no other name or alias leads there.
"""

import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from config.base.outbound.addresses import inner_address, is_loopback
from config.base.outbound.deadline import Deadline
from config.base.outbound.errors import DnsFailed, UrlInvalid
from config.base.outbound.hosts import IPAddress, parse_host
from config.base.outbound.network import Lookup
from config.base.outbound.resolver import resolve

DATABASE_PORTS = {"postgresql": 5432, "postgis": 5432, "mysql": 3306, "oracle": 1521}
REDIS_PORT = 6379

type IsLocal = Callable[[IPAddress], bool]


@dataclass(frozen=True, slots=True)
class Endpoint:
    host: str
    port: int


def protected_endpoints() -> frozenset[Endpoint]:
    """From `DATABASES`, `REDIS_URL` and `OWN_ORIGINS` (a list of "host:port")."""
    found = set(map(parse_endpoint, getattr(settings, "OWN_ORIGINS", [])))
    found.update(_broker_endpoints(getattr(settings, "REDIS_URL", "")))
    for database in settings.DATABASES.values():
        found.update(_database_endpoints(database))
    return frozenset(found)


def parse_endpoint(text: str) -> Endpoint:
    """Raises `ValueError`: a setting that protects nothing must not pass unseen."""
    host, _, port = text.rpartition(":")
    if not host:
        raise ValueError(f"{text!r} is not of the form host:port")
    return Endpoint(host, int(port))


def _broker_endpoints(url: str) -> Iterator[Endpoint]:
    parts = urlsplit(url)
    if parts.scheme in {"redis", "rediss"}:  # a socket file has no address
        yield Endpoint(parts.hostname or "localhost", parts.port or REDIS_PORT)


def _database_endpoints(database: Mapping[str, Any]) -> Iterator[Endpoint]:
    default_port = DATABASE_PORTS.get(str(database.get("ENGINE", "")).rpartition(".")[2])
    if default_port is None:
        return  # SQLite has no address
    options = database.get("OPTIONS") or {}
    port = options.get("port") or database.get("PORT") or default_port
    values = (database.get("HOST"), options.get("host"), options.get("hostaddr"))
    hosts = ",".join(str(value) for value in values if value).split(",")  # libpq takes several
    for host in hosts:
        # A socket file, or the default one: the same server listens on loopback, as a rule.
        name = "localhost" if not host or host.startswith("/") else host.strip()
        for number in str(port).split(","):
            yield Endpoint(name, int(number or default_port))


def is_local_address(address: IPAddress) -> bool:
    """Whether dialling this address reaches this machine: only a local one can be bound."""
    if is_loopback(address):
        return True
    inner = inner_address(address)
    family = socket.AF_INET if isinstance(inner, IPv4Address) else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(inner), 0))
    except OSError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Protection:
    """Tells protected addresses apart, for one call."""

    endpoints: Iterable[Endpoint]
    lookup: Lookup
    deadline: Deadline
    is_local: IsLocal = is_local_address

    def covers_name(self, host: str, port: int) -> bool:
        """By name alone, before any look-up."""
        return any(end.port == port and _same_name(end.host, host) for end in self.endpoints)

    def covers(self, address: IPAddress, port: int) -> bool:
        """By address; names of endpoints on this port are resolved to compare."""
        inner = inner_address(address)
        ours = {
            found for end in self.endpoints if end.port == port for found in self._addresses(end)
        }
        return inner in ours or (any(map(self.is_local, ours)) and self.is_local(inner))

    def _addresses(self, endpoint: Endpoint) -> list[IPAddress]:
        try:
            host = parse_host(_bracketed(endpoint.host))
        except UrlInvalid:
            return []
        if host.address is not None:
            return [inner_address(host.address)]
        if host.name == "localhost":  # also where the resolver doesn't know it
            return [IPv4Address("127.0.0.1")]
        try:
            found = resolve(self.lookup, host.name, endpoint.port, self.deadline)
        except DnsFailed:  # a name without addresses leads nowhere, for others too
            return []
        return [inner_address(address) for address in found]


def _same_name(ours: str, host: str) -> bool:
    try:
        return parse_host(_bracketed(ours)).name == host
    except UrlInvalid:
        return False


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host
