"""Tools that only compute, called in a chat: what they fail at reaches the model.

That what they answer does is in `tool_types/test_chat_and_rest.py`, for every type.
"""

import json
from typing import Any

import pytest

from agents.models import Agent, AgentTool, RunStatus
from agents.testing import ScriptedClient
from config.base.models import User
from tests.agents.conftest import Turn, asks, call, says
from tools.models import Tool

pytestmark = [pytest.mark.django_db, pytest.mark.both]

FAILURES: list[tuple[str, dict[str, Any], str]] = [
    ("text", {"operation": "split", "text": "a", "pattern": "["}, "pattern"),
    ("text", {"operation": "split", "text": "a"}, "invalid_arguments"),
    ("json_query", {"expression": "a[", "data": {}}, "syntax"),
    ("template", {"template": "{{ a.__class__ }}", "values": {"a": 1}}, "forbidden"),
    ("encode", {"operation": "base64_decode", "data": "!"}, "encoding"),
    ("random", {"operation": "choice", "items": []}, "empty"),
    ("table_query", {"csv": "a,b\n1\n"}, "csv"),
    ("unit_convert", {"value": 1, "from": "mile", "to": "kg"}, "dimension"),
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


@pytest.mark.parametrize(("slug", "arguments", "code"), FAILURES)
def test_the_model_gets_the_code_of_a_failure(
    shown: Any, slug: str, arguments: dict[str, Any], code: str
) -> None:
    told = shown(slug, arguments)
    assert (told["success"], told["error"]["code"]) == (False, code)
    assert told["error"]["message"]
