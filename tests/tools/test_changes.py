"""What the audit keeps of a changed tool: enough to see what was done, and no secret."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from config.base.errors import NotPermitted
from config.base.models import User
from skills.metadata import clean_metadata
from skills.models import AuditEvent
from tests.factories import UserFactory
from tests.tools.conftest import Make, actor_of
from tools.configs.changes import SHOWN_FIELDS, change_of
from tools.log.masking import MASK
from tools.models import Tool
from tools.services import create_tool, delete_tool, switch_tools, update_tool

SECRET = "sk-live-4f9a8b7c6d5e4f3a2b1c"


def of_config(before: dict[str, Any], after: dict[str, Any]) -> Any:
    change = change_of({"config": before}, {"config": after})
    return change["before"], change["after"]


def test_only_what_differs_is_kept() -> None:
    change = change_of(
        {"name": "a", "enabled": True, "config": {"x": 1, "y": 2}},
        {"name": "a", "enabled": False, "config": {"x": 1, "z": 3}},
    )
    assert change == {
        "before": {"enabled": True, "config.y": 2},
        "after": {"enabled": False, "config.z": 3},
    }


@pytest.mark.parametrize(
    "value",
    [
        {"api_key": "hunter2"},
        {"default_headers": {"x-team": "hunter2"}},
        {"nested": {"deep": [{"password": "hunter2"}]}},
        {"url": "https://bob:hunter2@host.example/"},
        {"url": "https://host.example/?token=hunter2"},
        {"note": f"use {SECRET}"},
        {"hosts": [SECRET]},
        {"auth": ["hunter2"]},
    ],
)
def test_what_looks_secret_is_never_kept(value: dict[str, Any]) -> None:
    for pair in (of_config({}, value), of_config(value, {}), of_config({"a": 1}, value)):
        text = json.dumps(pair, ensure_ascii=False)
        assert "hunter2" not in text
        assert SECRET not in text
        assert MASK in text


def test_a_number_is_no_secret_whatever_it_is_called() -> None:
    assert of_config({"token_budget": 2000}, {"token_budget": 10}) == (
        {"config.token_budget": 2000},
        {"config.token_budget": 10},
    )


def test_the_names_of_headers_are_kept() -> None:
    _before, after = of_config({}, {"default_headers": {"accept": "text/plain"}})
    assert after == {"config.default_headers": f'{{"accept": "{MASK}"}}'}


def test_of_long_values_the_part_that_differs_is_kept() -> None:
    hosts = [f"host{n}.example" for n in range(300)]
    before, after = of_config({"hosts": hosts}, {"hosts": [*hosts[:-1], "new.example"]})
    assert 'host299.example"' in before["config.hosts"]
    assert 'new.example"' in after["config.hosts"]
    assert len(after["config.hosts"]) < 60


@given(
    st.dictionaries(
        st.text(max_size=30),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=300),
            lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner),
            max_leaves=20,
        ),
        max_size=SHOWN_FIELDS + 20,
    )
)
def test_whatever_a_config_holds_the_audit_takes_it(config: dict[str, Any]) -> None:
    change = change_of({}, {"config": config})
    assert clean_metadata({"fields": ["config"], **change})
    assert len(change["after"]) <= SHOWN_FIELDS


# --- Services ---

VALUES = {"name": "Sums", "slug": "sums", "type": "calculator"}


def events(tool: Tool) -> list[Any]:
    found = AuditEvent.objects.filter(target_id=str(tool.pk)).order_by("pk")
    return [(event.metadata["fields"], event.metadata) for event in found]


@pytest.mark.both
@pytest.mark.django_db
def test_each_change_is_audited_with_before_and_after(operator: User) -> None:
    actor = actor_of(operator)
    tool = create_tool(actor, **VALUES, config={"max_expression_chars": 50})
    update_tool(actor, tool.pk, name="Adds", config={"max_expression_chars": 60})
    delete_tool(actor, tool.pk)
    (_fields, created), (fields, changed), (gone, deleted) = events(tool)
    assert created["before"] == {}
    assert created["after"]["slug"] == "sums"
    assert created["after"]["config.max_expression_chars"] == 50
    assert fields == ["config", "name"]
    assert changed["before"] == {"name": "Sums", "config.max_expression_chars": 50}
    assert changed["after"] == {"name": "Adds", "config.max_expression_chars": 60}
    assert (gone, deleted["after"]) == (["deleted"], {})
    assert deleted["before"]["name"] == "Adds"


@pytest.mark.both
@pytest.mark.django_db
def test_several_tools_are_switched_together_each_with_its_event(
    make: Make, operator: User
) -> None:
    on, off = make("echo"), make("echo", enabled=False)
    broken = make("echo")
    Tool.objects.filter(pk=broken.pk).update(type="vanished")
    keys = [on.pk, off.pk, broken.pk]
    assert switch_tools(actor_of(operator), keys, enabled=False) == 2
    assert not Tool.objects.filter(pk__in=keys, enabled=True).exists()
    for tool in (on, broken):
        [(fields, change)] = events(tool)
        assert fields == ["enabled"]
        assert (change["before"], change["after"]) == ({"enabled": True}, {"enabled": False})
    assert events(off) == []


@pytest.mark.django_db
def test_only_staff_switch_tools(make: Make, alice: User) -> None:
    tool = make("echo")
    with pytest.raises(NotPermitted):
        switch_tools(actor_of(alice), [tool.pk], enabled=False)
    tool.refresh_from_db()
    assert tool.enabled


# --- The console ---


@pytest.fixture
def console(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


def act(console: Client, action: str, *tools: Tool) -> list[str]:
    """What the page says afterwards."""
    values = {"action": action, "_selected_action": [tool.pk for tool in tools]}
    response = console.post(reverse("admin:tools_tool_changelist"), values)
    assert response.status_code in (200, 302)
    return [str(message) for message in get_messages(response.wsgi_request)]


@pytest.mark.django_db
def test_selected_tools_are_switched_and_the_page_says_how_many(
    make: Make, console: Client
) -> None:
    tools = [make("echo"), make("echo"), make("echo", enabled=False)]
    assert act(console, "switch_off", *tools) == [
        "2 tools were switched off.",
        "1 tool was off already.",
    ]
    assert act(console, "switch_on", *tools)[-1:] == ["3 tools were switched on."]
    assert Tool.objects.filter(pk__in=[tool.pk for tool in tools], enabled=True).count() == 3
    assert [len(events(tool)) for tool in tools] == [2, 2, 1]


@pytest.mark.django_db
def test_who_may_only_look_can_switch_nothing(make: Make, client: Client) -> None:
    reader = UserFactory.create(username="reader", is_staff=True)
    reader.user_permissions.add(Permission.objects.get(codename="view_tool"))
    client.force_login(reader)
    tool = make("echo")
    act(client, "switch_off", tool)
    tool.refresh_from_db()
    assert tool.enabled
    assert "switch_off" not in client.get(reverse("admin:tools_tool_changelist")).content.decode()


@pytest.mark.django_db
def test_the_form_audits_before_and_after_and_no_secret(console: Client) -> None:
    tool = Tool.objects.get(slug="fetch")
    values = {"name": "Fetch", "slug": "fetch", "type": "fetch", "sort_order": 0}
    config = {"timeout_ms": 5000, "default_headers": {"authorization": f"Bearer {SECRET}"}}
    address = reverse("admin:tools_tool_change", args=[tool.pk])
    assert console.post(address, {**values, "config": json.dumps(config)}).status_code == 302
    [(fields, change)] = events(tool)
    assert {"config", "enabled"} <= set(fields)
    assert change["after"]["config.timeout_ms"] == 5000
    assert (change["before"]["enabled"], change["after"]["enabled"]) == (True, False)
    assert SECRET not in json.dumps(change)


@pytest.mark.django_db
def test_a_tool_made_or_deleted_in_the_console_is_audited_with_its_values(
    console: Client,
) -> None:
    values = {**VALUES, "config": "{}", "sort_order": 3}
    assert console.post(reverse("admin:tools_tool_add"), values).status_code == 302
    tool = Tool.objects.get(slug="sums")
    console.post(reverse("admin:tools_tool_delete", args=[tool.pk]), {"post": "yes"})
    (_fields, made), (gone, deleted) = events(tool)
    assert (made["before"], made["after"]["sort_order"]) == ({}, 3)
    assert (gone, deleted["before"]["slug"], deleted["after"]) == (["deleted"], "sums", {})
