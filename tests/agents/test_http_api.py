"""A tool of an imported document in a chat: what it reads, sends and fails at reaches the model."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from agents.models import Agent, AgentTool, RunStatus
from agents.testing import ScriptedClient
from config.base.models import User
from config.base.outbound.network import use_network
from config.base.outbound.testing import FakeNetwork
from tests.agents.conftest import Turn, asks, call, says
from tests.tools.openapi.conftest import Peer, read
from tests.tools.openapi.documents import large
from tests.tools.secrets import operator_actor
from tools.models import ActionDraft, Tool, ToolCall
from tools.openapi.choices import Choices
from tools.openapi.services import import_openapi

pytestmark = [pytest.mark.django_db, pytest.mark.both]


@pytest.fixture
def server() -> Iterator[Peer]:
    with Peer() as server, use_network(FakeNetwork(server.address).network):
        yield server


@pytest.fixture
def things(operator: User, guide: Agent, server: Peer) -> list[Tool]:
    choices = Choices(enabled=True)
    made = import_openapi(operator_actor(operator), read(large(2)), choices).created
    for tool in made:
        AgentTool.objects.create(agent=guide, tool=tool)
    return made


def told(model: ScriptedClient) -> Any:
    text = model.requests[1].messages[-1].content
    return json.loads(text[text.index("{") : text.rindex("}") + 1])


def test_a_model_reads_through_it(
    things: list[Tool], alice: User, turn: Turn, model: ScriptedClient, server: Peer
) -> None:
    model.script = [asks(call("things0_get", {"id": 7, "trace": "a/b"})), says("Done.")]
    assert turn(alice, "go").status == RunStatus.COMPLETED
    assert server.last[0] == "GET /v0/things-0/7?trace=a%2Fb HTTP/1.1"
    assert told(model)["data"]["content"] == {"ok": True}
    [offered] = [tool for tool in model.requests[0].tools if tool.name == "things0_get"]
    assert set(offered.parameters["properties"]) == {"id", "trace"}
    assert ToolCall.objects.get().status == "success"


def test_a_model_is_told_what_does_not_fit(
    things: list[Tool], alice: User, turn: Turn, model: ScriptedClient, server: Peer
) -> None:
    model.script = [asks(call("things0_get", {"id": "seven"})), says("Sorry.")]
    turn(alice, "go")
    assert told(model)["error"]["code"] == "invalid_arguments"
    assert server.requests == []


def test_a_write_waits_for_a_person(
    things: list[Tool], alice: User, turn: Turn, model: ScriptedClient, server: Peer
) -> None:
    model.script = [asks(call("things1_post", {"id": 7, "body": {"name": "x"}}))]
    assert turn(alice, "go").status == RunStatus.WAITING
    assert ActionDraft.objects.get().owner == alice
    assert server.requests == []


def test_what_it_read_can_not_be_carried_on_by_its_arguments(
    things: list[Tool], alice: User, turn: Turn, model: ScriptedClient, server: Peer
) -> None:
    """The first answer is somebody else's words; the second call's would be composed of them."""
    model.script = [
        asks(call("things0_get", {"id": 1})),
        asks(call("things0_get", {"id": 2, "trace": "secret"}, id_="2")),
    ]
    assert turn(alice, "go").status == RunStatus.WAITING
    assert len(server.requests) == 1
