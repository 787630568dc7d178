"""Which tools an agent has: what operators gave it, else what can do no harm."""

from typing import Any

import pytest

from agents.admin.agents import AgentToolForm
from agents.directory import Directory
from agents.models import Agent, AgentTool
from agents.tool_sets import list_agent_tools, tool_set
from config.base.ids import uuid7
from config.base.models import Role, User
from tests.agents.conftest import TOOLS
from tools.models import Tool

pytestmark = pytest.mark.django_db


@pytest.fixture
def agent(db: None) -> Agent:
    """Beside the tools that these tests name there is no other."""
    Tool.objects.exclude(slug__in=TOOLS).delete()
    return Agent.objects.create(slug="plain", name="Plain")


def give(agent: Agent, slug: str, **values: Any) -> None:
    AgentTool.objects.create(agent=agent, tool=Tool.objects.get(slug=slug), **values)


def slugs(agent: Agent) -> list[str]:
    assert [tool.slug for tool in list_agent_tools(agent)] == list(tool_set(agent))
    return list(tool_set(agent))


def test_without_a_row_it_has_what_stays_inside_and_can_be_undone(agent: Agent) -> None:
    assert slugs(agent) == ["calculator", "datetime", "document"]


def test_the_harmless_ones_follow_what_operators_enable(agent: Agent) -> None:
    Tool.objects.filter(slug="document").update(enabled=False)
    Tool.objects.create(slug="sums", name="A sum", type="calculator")
    assert slugs(agent) == ["sums", "calculator", "datetime"]


def test_with_rows_it_has_those_and_no_other(agent: Agent) -> None:
    give(agent, "fetch")
    give(agent, "calculator", enabled=False)
    assert slugs(agent) == ["fetch"]


def test_with_all_rows_switched_off_it_has_none(agent: Agent) -> None:
    give(agent, "calculator", enabled=False)
    assert slugs(agent) == []


def test_a_row_can_only_add_approval(agent: Agent) -> None:
    give(agent, "fetch", needs_approval=True)
    give(agent, "calculator", needs_approval=False)
    give(agent, "datetime")
    assert dict(tool_set(agent)) == {"fetch": True, "calculator": False, "datetime": False}


@pytest.mark.parametrize(
    "change",
    [
        {"enabled": False},
        {"type": "a_type_that_is_gone"},
        {"config": {"no_such_option": 1}},
        {"config": {"timeout_ms": "long"}},
    ],
)
def test_a_tool_that_can_not_be_used_is_not_offered(
    agent: Agent, guide: Agent, change: dict[str, Any]
) -> None:
    Tool.objects.filter(slug="fetch").update(**change)
    Tool.objects.filter(slug="calculator").update(**change)
    assert slugs(guide) == ["datetime", "document"]
    assert slugs(agent) == ["datetime", "document"]


def test_they_come_in_the_operators_order(guide: Agent) -> None:
    Tool.objects.filter(slug="fetch").update(sort_order=-1)
    Tool.objects.filter(slug="calculator").update(sort_order=5)
    assert slugs(guide) == ["fetch", "datetime", "document", "calculator"]


# --- What lower apps ask ---


def test_the_directory_answers_for_agents_that_are_there(guide: Agent, alice: User) -> None:
    directory = Directory()
    assert directory.may_use(alice, guide.pk)
    assert set(directory.tool_set(guide.pk)) == {"calculator", "datetime", "document", "fetch"}
    for gone in (uuid7(), alice.pk):
        assert not directory.may_use(alice, gone)
        assert directory.tool_set(gone) == {}


def test_one_switched_off_has_nothing_and_is_for_nobody(guide: Agent, alice: User) -> None:
    Agent.objects.update(enabled=False)
    assert not Directory().may_use(alice, guide.pk)
    assert Directory().tool_set(guide.pk) == {}


def test_roles_say_for_whom_it_is(
    guide: Agent, alice: User, sam: User, operator: User, stranger: User
) -> None:
    Agent.objects.update(roles=[Role.SUPERVISOR])
    may = [Directory().may_use(user, guide.pk) for user in (alice, sam, operator, stranger)]
    assert may == [False, True, True, False]


def test_operators_choose_among_tools_of_one_name_by_their_slugs(agent: Agent) -> None:
    for slug in ("left_search", "right_search"):
        Tool.objects.create(slug=slug, name="search", type="calculator")
    labels = [label for _value, label in AgentToolForm().fields["tool"].choices]  # type: ignore[attr-defined]  # a ModelChoiceField
    assert {"search · left_search", "search · right_search"} <= set(labels)
