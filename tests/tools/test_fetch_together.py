"""Many fetches at once: what one waits for, no other one has to wait for."""

from concurrent.futures import ThreadPoolExecutor
from socket import socket
from threading import Barrier

import pytest
from django.db import connection

from config.base.actor import Actor, Origin
from config.base.ids import uuid7
from config.base.models import User
from config.base.outbound.network import use_network
from config.base.outbound.testing import FakeNetwork, ScriptedServer, http_answer
from tests.threads import PATIENCE_SECONDS
from tools.models import Tool, ToolCall
from tools.outcomes import CallOutcome
from tools.pipeline import call_tool
from tools.schemas import CallContext

AT_ONCE = 40  # twice the pool of connections


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_more_wait_at_once_than_there_are_connections(operator: User) -> None:
    """The peer answers nobody before all of them have asked."""
    all_asked = Barrier(AT_ONCE)

    def respond(_request: bytes, peer: socket) -> None:
        all_asked.wait(PATIENCE_SECONDS)
        peer.sendall(http_answer(b"hi", headers={"Content-Type": "text/plain"}))

    tool = Tool.objects.create(
        slug="page", name="Page", type="fetch", config={"timeout_ms": 30_000}
    )

    def fetch(number: int) -> CallOutcome:
        context = CallContext(
            actor=Actor(operator, Origin.API),
            idempotency_key=str(uuid7()),
            tool_set={"page": False},
        )
        try:
            return call_tool(tool, {"url": f"http://a.example/{number}"}, context)
        finally:
            connection.close()

    with (
        ScriptedServer(respond) as server,
        use_network(FakeNetwork(server.address).network),
        ThreadPoolExecutor(AT_ONCE) as threads,
    ):
        outcomes = list(threads.map(fetch, range(AT_ONCE)))
    assert [outcome.error for outcome in outcomes] == [None] * AT_ONCE
    assert ToolCall.objects.filter(status="success").count() == AT_ONCE
