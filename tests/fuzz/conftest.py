"""A product with data of three people, served as it is in production."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from pytest_django import DjangoDbBlocker

from config.base.models import Scope
from scripts.with_postgres import throwaway_postgres
from tests.clients import token_of
from tests.processes.harness import Product, Server, default_database
from tests.processes.people import agent_with, person


@pytest.fixture
def database_url(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "sqlite":
        yield ""
        return
    with throwaway_postgres() as url:
        yield url


@pytest.fixture
def product(database_url: str, tmp_path: Path) -> Iterator[Product]:
    product = Product(tmp_path, database_url)
    product.manage("migrate")
    product.migrated = True
    yield product
    product.end()


@pytest.fixture
def tokens(product: Product, django_db_blocker: DjangoDbBlocker) -> dict[str, str]:
    """Of an operator, of a person, and one of hers that may only read."""
    with django_db_blocker.unblock(), default_database(product.database()):
        agent_with("calculator", "datetime", "document")
        _user, operator = person("operator", staff=True)
        alice, everything = person("alice")
        reader = token_of(alice, [Scope.AGENT, Scope.DOCUMENTS_READ, Scope.TOOLS_READ])
        return {"operator": operator, "alice": everything, "reader": reader}


@pytest.fixture
def server(product: Product, tokens: dict[str, str]) -> Server:
    """With something of everything in it: documents, conversations, runs, cards that wait."""
    server = product.start()
    for name in ("operator", "alice"):
        client = server.client(tokens[name])
        for title in ("Notes", "Plan", "List"):
            _say(client, f"create a document called {title} with the content Hello")
            _say(client, f"delete the document {title}")
    return server


def _say(client: httpx.Client, text: str) -> None:
    answer = client.post("/api/agent/messages/", json={"text": text, "enable_tools": True})
    assert answer.status_code == 200, answer.text
