"""Refuses every way out of this machine, below whatever client the product uses."""

import ipaddress
import socket
from types import TracebackType
from typing import Any, Self
from unittest import mock


class NetworkGuard:
    """While entered, only loopback can be dialled and only its names resolve."""

    def __init__(self) -> None:
        self.attempts: list[str] = []
        self._patches = [
            mock.patch.object(socket.socket, name, self._guarded(getattr(socket.socket, name)))
            for name in ("connect", "connect_ex", "sendto")
        ]
        self._resolve = socket.getaddrinfo
        self._patches.append(mock.patch.object(socket, "getaddrinfo", self._getaddrinfo))

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
        for patch in reversed(self._patches):
            patch.stop()

    def _guarded(self, original: Any) -> Any:
        def guarded(sock: socket.socket, *arguments: Any) -> Any:
            address = arguments[-1]  # connect(address), sendto(data[, flags], address)
            if sock.family in (socket.AF_INET, socket.AF_INET6) and not is_loopback(address[0]):
                self._refuse(f"{address[0]}:{address[1]}")
            return original(sock, *arguments)

        return guarded

    def _getaddrinfo(self, host: str | bytes | None, *arguments: Any, **options: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name not in (None, "", "localhost") and not is_numeric(name):
            self._refuse(f"the name {name}")
        return self._resolve(host, *arguments, **options)

    def _refuse(self, what: str) -> None:
        self.attempts.append(what)
        raise OSError(f"Tests stay on this machine: refused to reach {what}")


def is_numeric(host: str | None) -> bool:
    try:
        ipaddress.ip_address((host or "").partition("%")[0])
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    return host == "localhost" or (is_numeric(host) and ipaddress.ip_address(host).is_loopback)
