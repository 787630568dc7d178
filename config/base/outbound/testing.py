"""A network for tests: names and addresses are made up, the bytes go over loopback sockets."""

import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from config.base.outbound.network import Network, system_dial

PUBLIC = "93.184.215.14"

type Respond = Callable[[bytes, socket.socket], None]


@dataclass
class FakeNetwork:
    """`names`: a host to the answers it gives one after the other, the last for ever.

    Every dial is recorded and lands on `server`, whatever the address was.
    """

    server: tuple[str, int] | None = None
    names: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)
    default: Sequence[str] = (PUBLIC,)
    lookups: list[str] = field(default_factory=list)
    dialled: list[tuple[str, int]] = field(default_factory=list)

    @property
    def network(self) -> Network:
        return Network(self.lookup, self.dial)

    def lookup(self, host: str, port: int) -> list[str]:
        if not isinstance(host, str):
            raise TypeError("bytes would miss every name here, and the test pass wrongly")
        answers = self.names.get(host, [self.default])
        answer = answers[min(self.lookups.count(host), len(answers) - 1)]
        self.lookups.append(host)
        if not answer:
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        return list(answer)

    def dial(self, address: str, port: int, timeout: float) -> socket.socket:
        self.dialled.append((address, port))
        if self.server is None:
            raise ConnectionRefusedError
        return system_dial(*self.server, timeout)


class ScriptedServer:
    """On a loopback port; answers each connection with what `respond` writes, keeps requests."""

    def __init__(self, respond: Respond, tls: ssl.SSLContext | None = None) -> None:
        self._respond = respond
        self._tls = tls
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=16)
        self._threads: list[threading.Thread] = []
        self.address: tuple[str, int] = self._listener.getsockname()[:2]
        self.requests: list[bytes] = []
        self.stopped = threading.Event()

    def __enter__(self) -> Self:
        self._start(self._serve)
        return self

    def __exit__(self, *_error: object) -> None:
        self.stopped.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes accept()
        self._listener.close()
        for thread in self._threads:
            thread.join(5)

    def _start(self, target: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while not self.stopped.is_set():
                self._start(self._answer, self._listener.accept()[0])

    def _answer(self, peer: socket.socket) -> None:
        with peer, contextlib.suppress(OSError):
            peer.settimeout(5)
            stream = self._tls.wrap_socket(peer, server_side=True) if self._tls else peer
            with stream:
                request = read_request(stream)
                if request:
                    self.requests.append(request)
                    self._respond(request, stream)


def read_request(peer: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        piece = peer.recv(65536)
        data += piece
        if not piece or not data[:1].isalpha():  # the end, or a TLS greeting
            return b""
    head, _blank, body = data.partition(b"\r\n\r\n")
    while len(body) < _content_length(head):
        piece = peer.recv(65536)
        if not piece:
            break
        body += piece
    return head + b"\r\n\r\n" + body


def _content_length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.partition(b":")[2])
    return 0


def http_answer(
    body: bytes = b"", *, status: str = "200 OK", headers: Mapping[str, str] | None = None
) -> bytes:
    given = {"Content-Length": str(len(body)), **(headers or {})}
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in given.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
