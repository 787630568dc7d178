"""The tool that recalls: in a chat and over REST, and what is kept of it."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.memories.services import create_memory, forget_memory
from agents.models import Agent, AgentTool, Message
from agents.testing import ScriptedClient
from config.base.actor import Actor, Origin
from config.base.models import User
from skills.models import AuditEvent, PermissionGrant
from tests.agents.conftest import Turn, asks, call
from tests.skills.factories import make_grant
from tests.tools.api import Api
from tests.tools.conftest import actor_of, context_for
from tools.enums import Effect, Risk
from tools.models import Tool, ToolCall, ToolCallContent
from tools.outcomes import CallOutcome
from tools.pipeline import call_tool
from tools.registry import get_tool_type

pytestmark = [pytest.mark.django_db, pytest.mark.both]
MARK = "zanzibar"


@pytest.fixture(autouse=True)
def granted(alice: User, bob: User, operator: User) -> None:
    for user in (alice, bob, operator):
        make_grant(user, "memory:read", skill_id="memory-recall")


@pytest.fixture(autouse=True)
def tool(guide: Agent) -> Tool:
    tool = Tool.objects.get(slug="memory_search")
    AgentTool.objects.create(agent=guide, tool=tool)
    return tool


def remember(user: User, text: str, **values: Any) -> None:
    create_memory(Actor(user=user, origin=Origin.PAGE), text, **values)


def search(user: User, query: str, **facts: Any) -> CallOutcome:
    tool = Tool.objects.get(slug="memory_search")
    context = context_for(user, actor=actor_of(user, **facts))
    return call_tool(tool, {"query": query}, context)


def data_of(outcome: CallOutcome) -> dict[str, Any]:
    assert outcome.result is not None, outcome.error
    return outcome.result.data


def test_it_says_what_it_is() -> None:
    tool_type = get_tool_type("memory_search")
    annotations = tool_type.annotations(tool_type.config_model())
    assert (annotations.risk, annotations.effect) == (Risk.L1, Effect.NONE)
    assert annotations.permission_codes == ("memory:read",)
    assert not annotations.open_world


def test_what_is_found_is_told_as_evidence_and_is_private(alice: User, guide: Agent) -> None:
    remember(alice, "Likes green tea.", agent_id=guide.pk, importance=4)
    outcome = search(alice, "Which tea do I like?", agent_id=guide.pk)
    data = data_of(outcome)
    assert data["evidence"] is True
    [memory] = data["memories"]
    assert (memory["text"], memory["importance"]) == ("Likes green tea.", 4)
    assert outcome.result is not None
    assert outcome.result.provenance == {"private"}


def test_that_nothing_is_remembered_is_said_as_such(alice: User) -> None:
    remember(alice, "Likes green tea.")
    outcome = search(alice, "Where did I park?")
    data = data_of(outcome)
    assert (data["evidence"], data["memories"]) == (False, [])
    assert data["note"].startswith("No evidence")
    assert outcome.result is not None
    assert outcome.result.provenance == {"private"}


def test_what_came_from_outside_stays_untrusted(alice: User) -> None:
    remember(alice, "The page says: tea is free.", provenance=["own", "untrusted"])
    result = search(alice, "tea").result
    assert result is not None
    assert result.provenance == {"private", "untrusted"}


def test_what_is_forgotten_is_not_recalled(alice: User) -> None:
    memory = create_memory(Actor(user=alice, origin=Origin.PAGE), "Likes tea.")
    forget_memory(Actor(user=alice, origin=Origin.PAGE), memory.pk)
    assert data_of(search(alice, "tea"))["evidence"] is False
    assert data_of(search(alice, ""))["evidence"] is False


def test_without_the_permission_nothing_is_read(alice: User) -> None:
    remember(alice, "Likes tea.")
    PermissionGrant.objects.all().delete()
    outcome = search(alice, "tea")
    assert outcome.result is None
    assert outcome.error is not None
    assert outcome.error.code == "permission_missing"
    assert "/skills/" in outcome.error.message


def test_nothing_of_anybody_else_is_told(alice: User, bob: User, operator: User) -> None:
    remember(alice, "Likes tea.")
    for user in (bob, operator):
        assert data_of(search(user, "tea"))["memories"] == []


def test_a_model_recalls_for_the_one_it_speaks_with(
    alice: User, bob: User, guide: Agent, turn: Turn, model: ScriptedClient
) -> None:
    remember(alice, "喜欢喝绿茶", agent_id=guide.pk)
    remember(bob, "喜欢喝咖啡")
    model.script = [
        asks(call("memory_search", {"query": "我喜欢喝什么"})),
        lambda request: f"It said: {request.messages[-1].content}",
    ]
    run = turn(alice, "你还记得我喜欢喝什么吗")
    answer = Message.objects.get(run=run, role="assistant")
    assert "绿茶" in answer.text
    assert "咖啡" not in answer.text
    assert "private" in answer.provenance


def test_an_operator_who_tries_it_recalls_their_own(operator: User, alice: User) -> None:
    remember(alice, "Likes tea.")
    remember(operator, "Likes tea with milk.")
    tool = Tool.objects.get(slug="memory_search")
    path = f"/api/agent-tools/{tool.pk}/execute/"
    status, answer = Api(operator)("POST", path, {"input": {"query": "tea"}})
    assert (status, answer["success"]) == (200, True)
    assert [one["text"] for one in answer["data"]["memories"]] == ["Likes tea with milk."]


def test_neither_question_nor_memory_stands_in_the_records(
    alice: User, turn: Turn, model: ScriptedClient
) -> None:
    remember(alice, f"Was in {MARK}.")
    model.script = [asks(call("memory_search", {"query": MARK})), "Yes."]
    turn(alice, "Where was I?")
    assert ToolCall.objects.get().receipt == {"memories": 1}
    for rows in (ToolCall, ToolCallContent, AuditEvent):
        assert MARK not in str(list(rows.objects.values()))


@pytest.mark.parametrize(
    ("query", "code"),
    [("x" * 2_001, "limit"), ("a\ud800", "invalid_arguments"), (5, "invalid_arguments")],
)
def test_what_is_no_question_is_refused(alice: User, query: Any, code: str) -> None:
    outcome = search(alice, query)
    assert outcome.error is not None
    assert outcome.error.code == code


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(query=st.text(max_size=200))
def test_whatever_is_asked_it_answers_or_refuses_by_a_code(alice: User, query: str) -> None:
    outcome = search(alice, query)
    if outcome.error is None:
        assert data_of(outcome)["memories"] == []
    else:
        assert outcome.error.code in {"limit", "invalid_arguments"}
