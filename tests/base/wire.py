"""The network below the client: `socket` itself, with nothing of the product replaced."""

import socket
from collections.abc import Mapping, Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from types import TracebackType
from typing import Any, Self
from unittest import mock

from config.base.outbound.testing import PUBLIC

NAT64 = IPv6Network("64:ff9b::/96")
UNICAST = IPv6Network("2000::/3")
AZURE = IPv4Address("168.63.129.16")


class Wire:
    """While entered, every name has made-up answers, and every dial is kept.

    `names`: a host to the answers it gives one after the other, the last for ever; others have the
    answer `default`. IPv4 dials land on `server`; the rest are refused.
    """

    def __init__(
        self,
        server: tuple[str, int] | None = None,
        names: Mapping[str, Sequence[Sequence[str]]] | None = None,
        default: Sequence[str] = (PUBLIC,),
    ) -> None:
        self.server, self.names, self.default = server, names or {}, default
        self.looked_up: list[str] = []
        self.dialled: list[tuple[str, int]] = []
        self._connect = socket.socket.connect
        self._patches = [
            mock.patch.object(socket.socket, "connect", self._recorded()),
            mock.patch.object(socket, "getaddrinfo", self._answer),
        ]

    def __enter__(self) -> Self:
        for patch in self._patches:
            patch.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for patch in self._patches:
            patch.stop()

    @property
    def hosts(self) -> list[str]:
        return [host for host, _port in self.dialled]

    def _recorded(self) -> Any:
        def connect(peer: socket.socket, address: Any) -> None:
            self.dialled.append((address[0], address[1]))
            if self.server is None or peer.family != socket.AF_INET:
                raise ConnectionRefusedError
            self._connect(peer, self.server)

        return connect

    def _answer(self, host: str, port: int, **_options: Any) -> list[Any]:
        answers = self.names.get(host, [self.default])
        answer = answers[min(self.looked_up.count(host), len(answers) - 1)]
        self.looked_up.append(host)
        if not answer:
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        return [(0, 0, 0, "", (address, port)) for address in answer]


def leads_inside(text: str) -> bool:
    """By the registries that the standard library knows: another judge than the product's."""
    address: IPv4Address | IPv6Address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address in NAT64:
            inner = IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is None and address not in UNICAST:  # deprecated and newest ranges
            return True
        address = inner or address
    return not address.is_global or address.is_multicast or address == AZURE
