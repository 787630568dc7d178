"""An operator who imports, and the API that is called afterwards."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from config.base.actor import Actor
from config.base.models import User
from config.base.outbound.network import use_network
from config.base.outbound.testing import FakeNetwork, ScriptedServer, http_answer
from tests.tools.openapi.documents import as_bytes
from tests.tools.secrets import operator_actor
from tools.openapi.choices import Choices
from tools.openapi.document import Document
from tools.openapi.operations import Operation, Reader
from tools.openapi.services import Imported, import_openapi
from tools.openapi.text import parse

type Import = Callable[..., Imported]


class Peer(ScriptedServer):
    """A live server that keeps what arrives; it answers with `answer`."""

    def __init__(self) -> None:
        self.answer = http_answer(b'{"ok": true}', headers={"Content-Type": "application/json"})
        super().__init__(lambda _request, peer: peer.sendall(self.answer))

    @property
    def last(self) -> tuple[str, dict[str, str], bytes]:
        """First line, headers, body."""
        head, _blank, body = self.requests[-1].partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        named = (line.partition(": ") for line in lines)
        return first, {name.lower(): value for name, _colon, value in named}, body


@pytest.fixture
def server() -> Iterator[Peer]:
    with Peer() as server, use_network(FakeNetwork(server.address).network):
        yield server


@pytest.fixture
def importer(operator: User) -> Actor:
    return operator_actor(operator)


@pytest.fixture
def imports(importer: Actor) -> Import:
    """`imports(PETSTORE, operations=[…], secrets={…}, url="…")`."""

    def run(
        document: Any, /, *, operations: list[str] | None = None, url: str = "", **choices: Any
    ) -> Imported:
        return import_openapi(importer, read(document, url), Choices(**choices), operations)

    return run


def read(document: Any, url: str = "") -> Document:
    """As `read_document` does, without the time that its child takes."""
    return Document(parse(as_bytes(document).decode()), url)


def operations_of(document: Any, url: str = "", base_url: str = "") -> dict[str, Operation]:
    found = Reader(read(document, url), base_url).operations()
    return {operation.key: operation for operation in found}
