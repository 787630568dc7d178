"""Giving tools to agents: by the console, and by REST."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from agents.giving import Given, get_given_tools, give_tools, set_agent_tools
from agents.models import Agent, AgentTool
from agents.tool_sets import holders_of, tool_set
from config.base.actor import Actor, Origin
from config.base.errors import InvalidInput, NotFound, NotPermitted
from config.base.ids import uuid7
from config.base.models import User
from skills.models import AuditEvent
from tests.clients import with_token
from tests.factories import UserFactory
from tests.tools.factories import ToolFactory
from tools.directory import Holder
from tools.models import Tool
from tools.testing import events_of

pytestmark = pytest.mark.django_db
DEFAULT = {"calculator", "datetime", "document"}


@pytest.fixture
def plain(db: None) -> Agent:
    """It was given nothing."""
    return Agent.objects.create(slug="plain", name="Plain")


@pytest.fixture
def petkey(db: None) -> Tool:
    return ToolFactory.create(name="Pet key", slug="petkey", type="fetch")


@pytest.fixture
def console(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


def by(user: User) -> Actor:
    return Actor(user=user, origin=Origin.ADMIN)


def last_change(agent: Agent) -> Any:
    return AuditEvent.objects.filter(target_id=str(agent.pk)).latest("pk").metadata


# --- The service ---


@pytest.mark.both
def test_a_given_tool_is_had_beside_the_others(guide: Agent, petkey: Tool, operator: User) -> None:
    before = set(tool_set(guide))
    assert give_tools(by(operator), guide.pk, [petkey.pk]) == [petkey]
    assert set(tool_set(guide)) == {*before, "petkey"}
    change = last_change(guide)
    assert (change["before"], change["after"]) == ({}, {"tool.petkey": "on"})


@pytest.mark.both
def test_who_was_given_none_loses_none_by_the_first_gift(
    plain: Agent, petkey: Tool, operator: User
) -> None:
    harmless = set(tool_set(plain))
    assert harmless >= DEFAULT
    give_tools(by(operator), plain.pk, [petkey.pk])
    assert set(tool_set(plain)) == {*harmless, "petkey"}
    change = last_change(plain)
    assert change["before"]["tool.calculator"] == "by default"
    assert change["after"]["tool.calculator"] == "on"


def test_what_an_agent_has_is_not_given_again(guide: Agent, petkey: Tool, operator: User) -> None:
    give_tools(by(operator), guide.pk, [petkey.pk])
    assert give_tools(by(operator), guide.pk, [petkey.pk]) == []
    assert events_of(guide.pk) == ["config.changed"]


def test_what_was_switched_off_at_the_agent_is_on_again(
    guide: Agent, petkey: Tool, operator: User
) -> None:
    AgentTool.objects.create(agent=guide, tool=petkey, enabled=False, needs_approval=True)
    assert give_tools(by(operator), guide.pk, [petkey.pk]) == [petkey]
    assert tool_set(guide)["petkey"] is True
    assert last_change(guide)["before"] == {"tool.petkey": "off, needs approval"}


@pytest.mark.both
def test_a_set_replaces_what_was_there(guide: Agent, petkey: Tool, operator: User) -> None:
    given = [Given("petkey", needs_approval=True), Given("calculator")]
    set_agent_tools(by(operator), guide.pk, given)
    assert dict(tool_set(guide)) == {"calculator": False, "petkey": True}
    change = last_change(guide)
    assert change["after"] == {"tool.petkey": "on, needs approval"}
    assert set(change["before"]) == {"tool.fetch", "tool.datetime", "tool.document"}
    set_agent_tools(by(operator), guide.pk, given)
    assert events_of(guide.pk) == ["config.changed"]


def test_an_empty_set_is_the_default_again(guide: Agent, operator: User) -> None:
    set_agent_tools(by(operator), guide.pk, [])
    assert get_given_tools(guide.pk).by_default
    assert "fetch" not in tool_set(guide)
    assert set(tool_set(guide)) >= DEFAULT


@pytest.mark.parametrize(
    ("given", "code"),
    [(["gone"], "unknown_tool"), (["fetch", "fetch"], "given_twice")],
)
def test_a_set_that_can_not_be_changes_nothing(
    guide: Agent, operator: User, given: list[str], code: str
) -> None:
    before = dict(tool_set(guide))
    with pytest.raises(InvalidInput) as caught:
        set_agent_tools(by(operator), guide.pk, [Given(slug) for slug in given])
    assert caught.value.code == code
    assert dict(tool_set(guide)) == before
    assert events_of(guide.pk) == []


def test_only_operators_who_may_change_agents_give(guide: Agent, petkey: Tool, alice: User) -> None:
    clerk = UserFactory.create(is_staff=True)
    for user in (alice, clerk):
        with pytest.raises(NotPermitted):
            give_tools(by(user), guide.pk, [petkey.pk])
        with pytest.raises(NotPermitted):
            set_agent_tools(by(user), guide.pk, [])
    clerk.user_permissions.add(Permission.objects.get(codename="change_agent"))
    assert give_tools(by(User.objects.get(pk=clerk.pk)), guide.pk, [petkey.pk])


def test_what_is_not_there_can_not_be_given(guide: Agent, petkey: Tool, operator: User) -> None:
    for agent_id, tool_id in ((guide.pk, uuid7()), (uuid7(), petkey.pk)):
        with pytest.raises(NotFound):
            give_tools(by(operator), agent_id, [tool_id])


def test_holders_are_those_who_could_call_it(guide: Agent, plain: Agent, petkey: Tool) -> None:
    calculator = Tool.objects.get(slug="calculator")
    found = holders_of([calculator, petkey])
    assert found[calculator.pk] == [Holder(guide.pk, "Guide"), Holder(plain.pk, "Plain", True)]
    assert petkey.pk not in found


def test_holders_of_many_tools_cost_two_queries(
    guide: Agent, plain: Agent, django_assert_num_queries: Any
) -> None:
    ToolFactory.create_batch(5, type="calculator")
    tools = list(Tool.objects.all())
    with django_assert_num_queries(2):
        holders_of(tools)


# --- The console ---


def page_of(console: Client, tool: Tool) -> str:
    return console.get(reverse("admin:tools_tool_change", args=[tool.pk])).content.decode()


def test_the_page_of_a_tool_says_that_nobody_has_it_and_gives_it(
    console: Client, guide: Agent, petkey: Tool
) -> None:
    page = page_of(console, petkey)
    assert "No agent has this tool yet" in page
    action = re.search(r'<form method="post" action="([^"]+)"', page)
    assert action
    sent = {"agent": guide.pk, "tool": petkey.pk}
    response = console.post(action[1], sent, follow=True)
    assert "Guide has the tool petkey from its next turn on." in response.content.decode()
    assert response.redirect_chain[0][0].endswith(f"/{petkey.pk}/change/#agents")
    page = page_of(console, petkey)
    assert "No agent has this tool yet" not in page
    assert reverse("admin:agents_agent_change", args=[guide.pk]) in page
    assert events_of(guide.pk) == ["config.changed"]


def test_the_page_tells_who_has_it_by_default(console: Client, plain: Agent) -> None:
    page = page_of(console, Tool.objects.get(slug="calculator"))
    assert "was given no tools, so it has the harmless ones" in page


@pytest.mark.parametrize("agent", ["", "x", "01a2297a-2272-7f4a-9685-8f7cbaf35da2"])
def test_an_agent_that_is_not_there_is_given_nothing(
    console: Client, petkey: Tool, agent: str
) -> None:
    sent = {"agent": agent, "tool": petkey.pk}
    response = console.post(reverse("admin:tools_tool_give"), sent, follow=True)
    assert response.status_code == 200
    assert not AgentTool.objects.filter(tool=petkey).exists()


def test_who_may_not_change_agents_sees_no_button_and_gives_nothing(
    client: Client, guide: Agent, petkey: Tool
) -> None:
    clerk = UserFactory.create(is_staff=True)
    clerk.user_permissions.add(Permission.objects.get(codename="view_tool"))
    client.force_login(clerk)
    page = page_of(client, petkey)
    assert "No agent has this tool yet" in page
    assert reverse("admin:tools_tool_give") not in page
    client.post(reverse("admin:tools_tool_give"), {"agent": guide.pk, "tool": petkey.pk})
    assert not AgentTool.objects.filter(tool=petkey).exists()


def test_the_list_says_who_has_each(console: Client, guide: Agent, petkey: Tool) -> None:
    page = console.get(reverse("admin:tools_tool_changelist")).content.decode()
    cells = re.findall(r'<td class="field-agents[^>]*>(.*?)</td>', page, re.DOTALL)
    assert any("Guide" in cell for cell in cells)
    assert any("none yet" in cell for cell in cells)


def test_a_new_tool_is_told_to_be_nobodys(console: Client, guide: Agent) -> None:
    values = {"name": "Pets", "slug": "pets", "type": "fetch", "type-shown": "fetch"}
    sent = {**values, "config": "{}", "config-shown": "{}", "sort_order": "0"}
    response = console.post(reverse("admin:tools_tool_add"), sent, follow=True)
    page = response.content.decode()
    tool = Tool.objects.get(slug="pets")
    assert "No agent has the tool “Pets” yet." in page
    assert f"{reverse('admin:tools_tool_change', args=[tool.pk])}#agents" in page


# --- REST ---


def url(agent: Agent) -> str:
    return f"/api/agents/{agent.pk}/tools/"


def test_operators_read_and_set_the_tools_of_an_agent(
    guide: Agent, petkey: Tool, operator: User
) -> None:
    api = with_token(operator)
    said = api.get(url(guide)).json()
    assert said["by_default"] is False
    assert {one["tool"] for one in said["tools"]} == {*DEFAULT, "fetch"}
    sent = {"tools": [*said["tools"], {"tool": "petkey", "needs_approval": True}]}
    response = api.put(url(guide), sent, format="json")
    assert response.status_code == 200
    row = {"tool": "petkey", "enabled": True, "needs_approval": True}
    assert row in response.json()["tools"]
    assert response.json() == api.get(url(guide)).json()
    assert tool_set(guide)["petkey"] is True
    assert events_of(guide.pk) == ["config.changed"]


def test_one_that_was_given_none_says_so(plain: Agent, operator: User) -> None:
    said = with_token(operator).get(url(plain)).json()
    assert said["by_default"] is True
    assert {one["tool"] for one in said["tools"]} >= DEFAULT


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "required"),
        ({"tools": "fetch"}, "not_a_list"),
        ({"tools": [{"tool": "gone"}]}, "unknown_tool"),
        ({"tools": [{"tool": "fetch"}, {"tool": "fetch"}]}, "given_twice"),
        ({"tools": [{"tool": "fetch", "risk": 1}]}, "unknown_field"),
        ({"tools": [{"tool": "fetch", "enabled": "no"}]}, "invalid"),
        ({"tools": [{"tool": "no slug"}]}, "invalid"),
        ({"tools": [{}]}, "required"),
        ({"tools": [{"tool": ""}]}, "blank"),
        ({"tools": [{"tool": None}]}, "null"),
        ({"tools": [{"tool": "a" * 51}]}, "max_length"),
        ({"tools": [{"tool": f"t{n}"} for n in range(501)]}, "max_length"),
    ],
)
def test_a_body_that_does_not_fit_is_told(
    guide: Agent, operator: User, body: Any, code: str
) -> None:
    response = with_token(operator).put(url(guide), body, format="json")
    assert response.status_code == 400
    assert code in {error["code"] for error in response.json()["errors"]}


def test_it_is_for_operators_with_the_scope(guide: Agent, alice: User, operator: User) -> None:
    assert with_token(alice).get(url(guide)).status_code == 403
    assert with_token(alice).put(url(guide), {"tools": []}, format="json").status_code == 403
    reader = with_token(operator, ["tools:read"])
    assert reader.get(url(guide)).status_code == 200
    assert reader.put(url(guide), {"tools": []}, format="json").status_code == 403
    api = with_token(operator)
    gone = f"/api/agents/{uuid7()}/tools/"
    assert api.get(gone).status_code == 404
    assert api.put(gone, {}, format="json").status_code == 404
    assert api.post(url(guide), {}, format="json").status_code == 405
