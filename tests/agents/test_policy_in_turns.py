"""What the policy table says of a person and an agent is what a real turn of theirs gets."""

from typing import Any

import pytest

from agents.models import Agent, AgentTool
from agents.testing import ScriptedClient
from config.base.actor import Actor, Origin
from config.base.models import User
from skills.grants import Permission, grant_permission
from skills.policy_table import PolicyQuestion, PolicyTable
from tests.agents.conftest import Turn, asks, call, says
from tools.models import Tool, ToolCall

pytestmark = [pytest.mark.django_db, pytest.mark.both]

RECALL = Permission(skill_id="memory-recall", code="memory:read")


def give(agent: Agent, slug: str, **facts: Any) -> None:
    tool = Tool.objects.get(slug=slug)
    AgentTool.objects.update_or_create(agent=agent, tool=tool, defaults=facts)


def told(user: User, agent: Agent, subject: str) -> list[tuple[Any, ...]]:
    table = PolicyTable(PolicyQuestion(person=User.objects.get(pk=user.pk), agent_id=agent.pk))
    [row] = [one for one in table[:] if one.entry.id == subject]
    return in_short(row.decision.as_json())


def in_short(decision: Any) -> list[tuple[Any, ...]]:
    return [
        (one["gate"], one["outcome"], one["reason_code"], one.get("leave"))
        for one in decision["reasons"]
    ]


def got(slug: str) -> list[tuple[Any, ...]]:
    recorded = ToolCall.objects.filter(tool_slug=slug).latest("created_at")
    return in_short(recorded.told_decision)


@pytest.mark.parametrize("granted", [False, True])
def test_a_tool_that_needs_a_permission(
    alice: User, guide: Agent, turn: Turn, model: ScriptedClient, granted: bool
) -> None:
    give(guide, "memory_search")
    if granted:
        grant_permission(Actor(user=alice, origin=Origin.PAGE), RECALL)
    expected = told(alice, guide, "memory_search")
    model.script = [asks(call("memory_search", {"query": "tea"})), says("Well.")]
    turn(alice, "Look it up")
    assert got("memory_search") == expected


@pytest.mark.parametrize("adds", [False, True])
def test_a_tool_for_which_the_agent_asks(
    alice: User, guide: Agent, turn: Turn, model: ScriptedClient, adds: bool
) -> None:
    give(guide, "calculator", needs_approval=adds)
    expected = told(alice, guide, "calculator")
    model.script = [asks(call("calculator", {"expression": "1 + 1"})), says("Two.")]
    turn(alice, "What is 1 + 1?")
    assert got("calculator") == expected
    asked = ("approval", "needs_confirmation", "agent_needs_approval", None)
    assert (asked in expected) == adds


def test_a_skill_that_was_granted(
    alice: User, guide: Agent, turn: Turn, model: ScriptedClient
) -> None:
    grant_permission(Actor(user=alice, origin=Origin.PAGE), RECALL)
    expected = told(alice, guide, "memory-recall")
    model.script = [says("Well.")]
    turn(alice, "Do you remember which tea I like?")
    assert got("memory_search") == expected
