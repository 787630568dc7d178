"""A tool of any type, with everything that it needs to run."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from agents.model_clients.errors import ModelTimeout
from agents.model_clients.protocol import ModelReply, ModelRequest
from agents.models import Agent, AgentTool, ModelProfile
from agents.testing import ScriptedClient
from agents.types.ask_model import tool as asking
from config.base.models import User
from config.base.outbound.network import use_network
from config.base.outbound.testing import FakeNetwork
from tests.agents.tool_types.world import INSIDE, INSIDE_AT, LONG, SET_UP, World
from tests.skills.factories import make_grant
from tests.tools.secrets import operator_actor
from tools.mcp.links import forget_links
from tools.models import Tool
from tools.services import create_tool

type ToolOf = Callable[..., Tool]


@pytest.fixture
def world() -> Iterator[World]:
    forget_links()
    names = {INSIDE: [[INSIDE_AT]]}
    with World() as server, use_network(FakeNetwork(server.address, names).network):
        yield server
    forget_links()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, db: None) -> ScriptedClient:
    """The model that `ask_model` asks: inside, so that nothing leaves."""
    ModelProfile.objects.create(
        name="Helper", model="helper", base_url="http://127.0.0.1:9/v1", external=False
    )
    client = ScriptedClient([_helps] * 9)
    monkeypatch.setattr(asking, "client_of", lambda profiles: client)
    return client


def _helps(request: ModelRequest) -> ModelReply:
    """A slow one takes as long as its caller has more than a second for it."""
    question = request.messages[-1].content
    if "slow" in question and (request.timeout_seconds or 0) <= 1 + asking.GRACE_SECONDS:
        raise ModelTimeout
    return ModelReply(LONG if "long" in question else "About a dog.")


@pytest.fixture(autouse=True)
def granted(operator: User, alice: User) -> None:
    """What a skill's permission covers is tested with the skills."""
    for user in (operator, alice):
        make_grant(user, "memory:read", skill_id="memory-recall")


@pytest.fixture
def tool_of(operator: User, guide: Agent, world: World, asked: ScriptedClient) -> ToolOf:
    """`tool_of("fetch", timeout_ms=50)`: of the guide too, under the name `mine`."""

    def make(type_name: str, **config: Any) -> Tool:
        Tool.objects.filter(slug="mine").delete()
        tool = create_tool(
            operator_actor(operator),
            name="Mine",
            slug="mine",
            type=type_name,
            config={**SET_UP.get(type_name, {}), **config},
        )
        AgentTool.objects.create(agent=guide, tool=tool)
        return tool

    return make
