"""An agent with every shipped tool, a model that says what a test lets it say, runs driven here."""

from collections.abc import Callable
from typing import Any

import pytest

from agents.model_clients.protocol import ModelReply, ToolRequest
from agents.models import Agent, AgentTool, Run
from agents.runs import drive as driving
from agents.runs.claim import claim_run
from agents.runs.drive import drive
from agents.runs.start import TurnRequest, start_turn
from agents.testing import ScriptedClient
from config.base.models import User
from tools.models import Tool

TOOLS = ("calculator", "datetime", "document", "fetch")


@pytest.fixture
def guide(db: None) -> Agent:
    agent = Agent.objects.create(slug="guide", name="Guide", max_steps=5)
    for tool in Tool.objects.filter(slug__in=TOOLS):
        AgentTool.objects.create(agent=agent, tool=tool)
    return agent


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> ScriptedClient:
    """Every agent speaks with it; put replies into `script`."""
    client = ScriptedClient()
    monkeypatch.setattr(driving, "client_for", lambda agent: client)
    return client


def call(name: str, arguments: dict[str, Any] | None, *, id_: str = "1") -> ToolRequest:
    return ToolRequest(id=id_, name=name, arguments=arguments, raw_arguments=str(arguments))


def asks(*calls: ToolRequest, text: str = "") -> ModelReply:
    return ModelReply(text=text, tool_calls=calls)


def says(text: str) -> ModelReply:
    return ModelReply(text=text)


def go_on(run: Run) -> Run:
    """Drive the run if it is runnable, as a RunHost would."""
    fence = claim_run(run.pk, "test")
    if fence is not None:
        drive(fence)
    run.refresh_from_db()
    return run


def _wait_by_driving(run: Run, *, seconds: float) -> Run:
    return go_on(run)


type Turn = Callable[..., Run]


@pytest.fixture
def turn(guide: Agent) -> Turn:
    """Say something and drive the run as far as it goes."""

    def say(user: User, text: str, *, tools: bool = True, **more: Any) -> Run:
        return go_on(start_turn(user, TurnRequest(text=text, enable_tools=tools, **more)))

    return say


@pytest.fixture
def inline_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests that wait for a run drive it themselves."""
    waiting = (
        "agents.api.turns",
        "agents.api.drafts",
        "agents.views.chat",
        "agents.views.workflows",
    )
    for module in waiting:
        monkeypatch.setattr(f"{module}.wait_for_run", _wait_by_driving)
