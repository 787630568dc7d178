"""Tools, their log and their drafts in the console."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from config.base.ids import uuid7
from config.base.models import Project, User
from tests.tools.conftest import Make, actor_of, parked, run
from tools.models import ActionDraft, Tool, ToolCall
from tools.testing import REFUSE, events_of

pytestmark = pytest.mark.django_db

TOOLS = "admin:tools_tool_changelist"
CALLS = "admin:tools_toolcall_changelist"


@pytest.fixture
def console(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


def page(console: Client, name: str, *arguments: object, **query: str) -> str:
    response = console.get(reverse(name, args=arguments), query)
    assert response.status_code == 200
    return response.content.decode()


def form_of(tool: Tool, **changes: Any) -> dict[str, Any]:
    values = {
        "name": tool.name,
        "slug": tool.slug,
        "type": tool.type,
        "config": "{}",
        "sort_order": 0,
        "enabled": "on",
    }
    return {**values, **changes}


# --- The form ---


def test_a_config_is_edited_as_json_and_kept_without_defaults(console: Client) -> None:
    tool = Tool.objects.get(slug="fetch")
    values = form_of(tool, config='{"timeout_ms": 5000}')
    assert (
        console.post(reverse("admin:tools_tool_change", args=[tool.pk]), values).status_code == 302
    )
    tool.refresh_from_db()
    assert tool.config == {"timeout_ms": 5000}
    assert events_of(tool.pk) == ["config.changed"]
    text = page(console, "admin:tools_tool_change", tool.pk)
    assert "{\n  &quot;timeout_ms&quot;: 5000\n}" in text


def test_the_form_shows_what_the_type_can_be_told(console: Client) -> None:
    text = page(console, "admin:tools_tool_change", Tool.objects.get(slug="fetch").pk)
    assert "allowed_private_networks" in text
    assert "blocked beats allowed" in text
    assert "max_redirects" in page(console, "admin:tools_tool_add")


@pytest.mark.parametrize(
    ("changes", "field", "message"),
    [
        ({"config": '{"timeout_ms": 0}'}, "config", "timeout_ms"),
        (
            {"config": '{"timeOut_ms": 1}'},
            "config",
            "timeOut_ms: Unknown key; did you mean timeout_ms?",
        ),
        ({"config": '{"colour": 1}'}, "config", "colour: Unknown key"),
        ({"config": "{"}, "config", "JSON"),
        ({"config": "[]"}, "config", "object"),
        ({"type": "abacus"}, "type", "abacus"),
        ({"slug": "No Capitals"}, "slug", "a–z"),
        ({"slug": "calculator"}, "slug", "already exists"),
    ],
)
def test_the_form_names_what_does_not_fit(
    console: Client, changes: dict[str, Any], field: str, message: str
) -> None:
    tool = Tool.objects.get(slug="fetch")
    address = reverse("admin:tools_tool_change", args=[tool.pk])
    response = console.post(address, form_of(tool, **changes))
    assert response.status_code == 200
    assert message in str(response.context["adminform"].form.errors[field])
    assert events_of(tool.pk) == []


def test_the_help_names_the_values_that_can_be_chosen(console: Client) -> None:
    text = page(console, "admin:tools_tool_change", Tool.objects.get(slug="fetch").pk)
    for kind in ("raw | markdown | json", "GET | POST"):
        assert kind in text
    assert "ParseMode" not in text


def test_a_new_tool_begins_with_an_empty_config(console: Client) -> None:
    form = console.get(reverse("admin:tools_tool_add")).context["adminform"].form
    assert form["config"].value() == "{}"


def test_an_empty_config_is_that_of_the_defaults(console: Client) -> None:
    tool = Tool.objects.get(slug="fetch")
    console.post(reverse("admin:tools_tool_change", args=[tool.pk]), form_of(tool, config=""))
    tool.refresh_from_db()
    assert tool.config == {}


# --- The list ---


def list_form(**changes: Any) -> dict[str, Any]:
    """The whole list as a browser sends it, with `slug__field` changed."""
    tools = list(Tool.objects.all())
    values: dict[str, Any] = {"form-TOTAL_FORMS": len(tools), "form-INITIAL_FORMS": len(tools)}
    for number, tool in enumerate(tools):
        fields = {"id": tool.pk, "sort_order": tool.sort_order, "enabled": tool.enabled}
        fields |= {
            name: changes[f"{tool.slug}__{name}"]
            for name in ("sort_order", "enabled")
            if f"{tool.slug}__{name}" in changes
        }
        values |= {f"form-{number}-{name}": v for name, v in fields.items() if v is not False}
    return {**values, "_save": "Save"}


def test_tools_are_switched_and_ordered_in_the_list(console: Client) -> None:
    values = list_form(fetch__enabled=False, fetch__sort_order=7)
    assert console.post(reverse(TOOLS), values).status_code == 302
    tool = Tool.objects.get(slug="fetch")
    assert (tool.enabled, tool.sort_order) == (False, 7)
    assert events_of(tool.pk) == ["config.changed"]
    assert events_of(Tool.objects.get(slug="calculator").pk) == []


@pytest.mark.parametrize(
    ("broken", "said"),
    [({"type": "vanished"}, "no such type"), ({"config": {"old": 1}}, "config does not fit")],
)
def test_a_broken_row_is_shown_as_broken_and_can_be_switched_off(
    make: Make, console: Client, broken: dict[str, Any], said: str
) -> None:
    tool = make("echo", slug="broken")
    Tool.objects.filter(pk=tool.pk).update(**broken)
    assert said in page(console, TOOLS)
    assert page(console, "admin:tools_tool_change", tool.pk)
    assert console.post(reverse(TOOLS), list_form(broken__enabled=False)).status_code == 302
    tool.refresh_from_db()
    assert not tool.enabled


def test_the_list_says_how_the_last_call_ended(make: Make, console: Client, alice: User) -> None:
    tool = make("echo")
    run(tool, alice)
    run(tool, alice, REFUSE)
    assert "failed" in page(console, TOOLS, q=tool.slug)


def test_a_tool_that_is_off_is_not_ready(console: Client) -> None:
    Tool.objects.exclude(slug="fetch").delete()
    assert "ready" in page(console, TOOLS)
    Tool.objects.update(enabled=False)
    text = page(console, TOOLS)
    assert "ready" not in text
    assert ">off<" in re.sub(r"\s", "", text)


# --- The log ---


def shown(console: Client, **query: str) -> set[str]:
    response = console.get(reverse(CALLS), query)
    assert response.status_code == 200
    return {call.tool_slug for call in response.context["cl"].result_list}


@pytest.fixture
def call(make: Make, alice: User) -> ToolCall:
    """Alice's, in a run, beside one of somebody else's."""
    other = User.objects.create(username="other")
    run(make("echo", slug="two"), other, REFUSE)
    actor = actor_of(alice, run_id=uuid7(), conversation_id=uuid7())
    return run(make("echo", slug="one"), alice, "https://a.example/?token=abc", actor=actor).call


@pytest.mark.parametrize("by", ["pk", "run_id", "conversation_id", "user_id", "tool_slug"])
def test_the_search_finds_a_call(console: Client, call: ToolCall, by: str) -> None:
    assert shown(console, q=str(getattr(call, by))) == {"one"}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"q": "alice"}, {"one"}),
        ({"q": "alice two"}, set()),
        ({"q": str(uuid7())}, set()),
        ({"q": "\0"}, set()),
        ({"status__exact": "error"}, {"two"}),
        ({"tool": "one"}, {"one"}),
        ({"origin": "api"}, {"one", "two"}),
        ({"origin": "chat"}, set()),
    ],
)
def test_the_log_is_searched_and_filtered(
    console: Client, call: ToolCall, query: dict[str, str], found: set[str]
) -> None:
    if query != {"q": "\0"}:
        assert shown(console, **query) == found
    else:
        shown(console, **query)


def test_a_call_shows_its_decision_and_its_content_masked(console: Client, call: ToolCall) -> None:
    text = page(console, "admin:tools_toolcall_change", call.pk)
    for word in ("no_approval_needed", "The tool is switched on", "token=•••", call.input_digest):
        assert word in text
    assert "token=abc" not in text


def test_a_call_whose_content_is_gone_says_so(console: Client, call: ToolCall) -> None:
    call.content.delete()
    assert "not kept, or no longer" in page(console, "admin:tools_toolcall_change", call.pk)


@pytest.mark.parametrize("model", ["toolcall", "actiondraft"])
def test_nothing_can_be_added_changed_or_deleted(
    make: Make, console: Client, alice: User, model: str
) -> None:
    draft = parked(make("echo", needs_approval=True), alice)
    row = draft.call if model == "toolcall" else draft
    assert console.get(reverse(f"admin:tools_{model}_add")).status_code == 403
    for kind in ("change", "delete"):
        address = reverse(f"admin:tools_{model}_{kind}", args=[row.pk])
        assert console.post(address, {"post": "yes"}).status_code == 403


# --- Drafts ---


def test_the_list_says_what_waits_and_who_decided(make: Make, console: Client, alice: User) -> None:
    draft = parked(make("echo", needs_approval=True), alice)
    text = page(console, "admin:tools_actiondraft_changelist")
    assert "waiting" in text
    assert "waiting for you" not in text
    ActionDraft.objects.update(state="dismissed", decided_by=alice, decided_at=draft.created_at)
    (row,) = (
        console.get(reverse("admin:tools_actiondraft_changelist"), {"state": "dismissed"})
        .context["cl"]
        .result_list
    )
    assert row.decided_by == alice
    assert "alice" in page(console, "admin:tools_actiondraft_change", draft.pk)
    assert "waiting for you" not in page(console, "admin:tools_actiondraft_change", draft.pk)


def test_a_draft_shows_what_was_shown(
    make: Make, console: Client, alice: User, project: Project
) -> None:
    draft = parked(make("rename", needs_approval=True), alice, "Atlas")
    text = page(console, "admin:tools_actiondraft_change", draft.pk)
    for word in ("Rename demo", "Demo → Atlas", "tool_needs_approval", draft.hash):
        assert word in text


def test_a_draft_of_what_is_nobodys_log_keeps_it_from_operators(
    make: Make, console: Client, alice: User
) -> None:
    draft = parked(make("secret_echo", needs_approval=True), alice, "xyzzy")
    text = page(console, "admin:tools_actiondraft_change", draft.pk)
    assert "xyzzy" not in text
    assert "hidden: only its owner sees it" in text
