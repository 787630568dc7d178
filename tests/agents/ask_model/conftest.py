"""An agent with `ask_model`, a profile inside, and the model that is asked."""

from typing import Any

import pytest

from agents.model_clients.protocol import ModelReply, Usage
from agents.models import Agent, AgentTool, ModelProfile
from agents.testing import ScriptedClient
from agents.types.ask_model import tool as asking
from config.base.models import User
from tests.tools.conftest import context_for
from tools.models import Tool, UserDay
from tools.pipeline import call_tool

TASK = {"task": "Summarise.", "text": "A long story."}


@pytest.fixture
def helper(db: None) -> ModelProfile:
    """Inside, so that nothing leaves."""
    return ModelProfile.objects.create(
        name="Helper", model="helper", base_url="http://127.0.0.1:9/v1", external=False
    )


@pytest.fixture
def tool(guide: Agent, helper: ModelProfile) -> Tool:
    tool = Tool.objects.get(slug="ask_model")
    configure(tool)
    AgentTool.objects.create(agent=guide, tool=tool)
    return tool


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tool: Tool) -> ScriptedClient:
    """The model that the tool asks; that of the agent is `model`."""
    client = ScriptedClient()
    monkeypatch.setattr(asking, "client_of", lambda profiles: client)
    return client


def configure(tool: Tool, **config: Any) -> None:
    tool.config = {"model_profile": "Helper", **config}
    tool.save()


def costing(text: str, tokens: int = 0, output: int = 0, usd: float | None = None) -> ModelReply:
    return ModelReply(text, usage=Usage(tokens, output, usd))


def execute(tool: Tool, user: User, arguments: dict[str, Any], **context: Any) -> Any:
    return call_tool(tool, arguments, context_for(user, **context))


def data_of(tool: Tool, user: User, arguments: dict[str, Any]) -> dict[str, Any]:
    outcome = execute(tool, user, arguments)
    assert outcome.error is None, outcome.error
    found: dict[str, Any] = outcome.result.data
    return found


def code_of(tool: Tool, user: User, arguments: dict[str, Any]) -> str:
    outcome = execute(tool, user, arguments)
    assert outcome.error is not None
    code: str = outcome.error.code
    return code


def used_today(user: User) -> tuple[int, int, int]:
    day = UserDay.objects.get(user=user)
    return day.input_tokens, day.output_tokens, day.model_calls
