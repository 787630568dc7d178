"""A network for tests: names and addresses are made up, the bytes go over loopback sockets."""

import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from config.base.outbound.network import Network, system_dial

PUBLIC = "93.184.215.14"
type Answer = Sequence[str] | Sequence[Sequence[str]]


@dataclass
class FakeNetwork:
    """`names`: host to its addresses, or to the answers it gives one after the other (the last
    for ever). Every dial is recorded and lands on `server`, whatever the address was.
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
        assert isinstance(host, str)  # bytes would miss every key and pass wrongly
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
    """Answers each connection on a loopback port with what `respond` writes; keeps the requests."""

    def __init__(self, respond: Callable[[bytes, socket.socket], None]) -> None:
        self._respond = respond
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=16)
        self.address: tuple[str, int] = self._listener.getsockname()[:2]
        self.requests: list[bytes] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self) -> "ScriptedServer":
        return self

    def __exit__(self, *_exc: object) -> None:
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                peer, _address = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(peer,), daemon=True).start()

    def _answer(self, peer: socket.socket) -> None:
        with peer:
            peer.settimeout(10)
            try:
                request = read_request(peer)
                self.requests.append(request)
                self._respond(request, peer)
            except OSError:
                return


def read_request(peer: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        piece = peer.recv(65536)
        if not piece:
            return data
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            wanted = int(line.partition(b":")[2])
            while len(body) < wanted:
                body += peer.recv(65536)
    return head + b"\r\n\r\n" + body


def http_answer(
    body: bytes = b"", status: str = "200 OK", headers: Mapping[str, str] | None = None
) -> bytes:
    lines = [f"HTTP/1.1 {status}", *(f"{key}: {value}" for key, value in (headers or {}).items())]
    lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
