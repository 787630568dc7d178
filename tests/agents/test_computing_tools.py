"""The tools that only compute, called by a model in a chat."""

from typing import Any

import pytest

from agents.models import Agent, AgentTool
from agents.testing import ScriptedClient
from config.base.models import User
from tests.agents.conftest import Turn, asks, call, says
from tools.models import Tool, ToolCall

pytestmark = [pytest.mark.django_db, pytest.mark.both]


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("encode", {"operation": "base64_encode", "data": "你好"}, '"result": "5L2g5aW9"'),
        ("encode", {"operation": "base64_decode", "data": "!"}, '"code": "encoding"'),
        ("random", {"operation": "dice", "count": 5, "seed": 7}, '"total": 17'),
        ("random", {"operation": "choice", "items": []}, '"code": "empty"'),
        (
            "table_query",
            {
                "csv": "who,cost\nAda,0.1\nBob,0.2\n",
                "group": {"aggregates": [{"function": "sum", "column": "cost"}]},
            },
            '"rows": [[0.3]]',
        ),
        ("table_query", {"csv": "a,b\n1\n"}, '"code": "csv"'),
        ("unit_convert", {"value": 26.2, "from": "mile", "to": "km"}, '"result": "42.1648128"'),
        ("unit_convert", {"value": 1, "from": "mile", "to": "kg"}, '"code": "dimension"'),
    ],
)
def test_a_model_is_told_what_they_answer(
    alice: User,
    guide: Agent,
    turn: Turn,
    model: ScriptedClient,
    name: str,
    arguments: dict[str, Any],
    told: str,
) -> None:
    AgentTool.objects.create(agent=guide, tool=Tool.objects.get(slug=name))
    model.script = [asks(call(name, arguments)), says("There.")]
    run = turn(alice, "compute")
    assert told in model.requests[1].messages[-1].content
    assert ToolCall.objects.get().run_id == run.pk
    assert "Error codes:" in next(
        tool.description for tool in model.requests[0].tools if tool.name == name
    )
