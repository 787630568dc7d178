"""Tools that only compute, called in a chat: what they answer and fail at reaches the model."""

import json
from typing import Any

import pytest

from agents.models import Agent, AgentTool, RunStatus
from agents.testing import ScriptedClient
from config.base.models import User
from tests.agents.conftest import Turn, asks, call, says
from tools.models import Tool, ToolCall

pytestmark = [pytest.mark.django_db, pytest.mark.both]

CALLS: list[tuple[str, dict[str, Any], Any]] = [
    ("text", {"operation": "replace", "text": "a1", "pattern": r"\d", "replacement": "2"}, "a2"),
    ("json_query", {"expression": "a[0]", "data": {"a": [{"b": None}]}}, {"b": None}),
    ("template", {"template": "{{ a }}, {{ b }}", "values": {"a": 1, "b": None}}, "1, None"),
]
FAILURES: list[tuple[str, dict[str, Any], str]] = [
    ("text", {"operation": "split", "text": "a", "pattern": "["}, "pattern"),
    ("text", {"operation": "split", "text": "a"}, "invalid_arguments"),
    ("json_query", {"expression": "a[", "data": {}}, "syntax"),
    ("template", {"template": "{{ a.__class__ }}", "values": {"a": 1}}, "forbidden"),
]


@pytest.fixture
def shown(alice: User, guide: Agent, turn: Turn, model: ScriptedClient) -> Any:
    """`shown(slug, arguments)`: what the model is told of the call."""

    def run(slug: str, arguments: dict[str, Any]) -> Any:
        AgentTool.objects.create(agent=guide, tool=Tool.objects.get(slug=slug))
        model.script = [asks(call(slug, arguments)), says("Done.")]
        assert turn(alice, "go").status == RunStatus.COMPLETED
        told = model.requests[1].messages[-1].content
        return json.loads(told[told.index("{") : told.rindex("}") + 1])

    return run


@pytest.mark.parametrize(("slug", "arguments", "expected"), CALLS, ids=[each[0] for each in CALLS])
def test_the_model_gets_the_answer(
    shown: Any, slug: str, arguments: dict[str, Any], expected: Any
) -> None:
    told = shown(slug, arguments)
    assert (told["success"], told["data"]) == (True, {"result": expected})
    ledger = ToolCall.objects.get()
    assert (ledger.tool_slug, ledger.status) == (slug, "success")


@pytest.mark.parametrize(("slug", "arguments", "code"), FAILURES)
def test_the_model_gets_the_code_of_a_failure(
    shown: Any, slug: str, arguments: dict[str, Any], code: str
) -> None:
    told = shown(slug, arguments)
    assert (told["success"], told["error"]["code"]) == (False, code)
    assert told["error"]["message"]
