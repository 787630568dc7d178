"""The test panel: a call of one's own through every gate, or only what somebody else would get."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from config.base.ids import uuid7
from config.base.models import Project, User
from config.base.outbound.network import Network, system_dial, use_network
from skills.models import AuditEvent
from tests.documents.factories import make_document
from tests.factories import UserFactory
from tests.tools.conftest import Make
from tests.tools.mcp_servers import TOOL
from tools.enums import CallStatus, DraftState
from tools.mcp.descriptors import descriptor_hash
from tools.models import ActionDraft, Tool, ToolCall
from tools.testing import REFUSE, FakeDirectory, Peer

pytestmark = pytest.mark.django_db


@pytest.fixture
def console(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


def address(tool: Tool) -> str:
    return reverse("admin:tools_tool_try_it", args=[tool.pk])


def send(console: Client, tool: Tool, **values: Any) -> Any:
    """As a browser does; `text="hello"` is an argument."""
    ours = ("run", "decide", "confirm", "person", "agent", "key", "arguments", "arguments-shown")
    sent = {"key": uuid7(), "arguments": "{}", "arguments-shown": "{}"}
    sent |= {name if name in ours else f"arguments.{name}": v for name, v in values.items()}
    if "decide" not in sent:
        sent["run"] = "1"
    response = console.post(address(tool), sent)
    assert response.status_code == 200
    return response


def text_of(response: Any) -> str:
    text: str = response.content.decode()
    return text


def test_its_breadcrumb_is_not_that_of_the_settings(make: Make, console: Client) -> None:
    tool = make("echo")
    header = text_of(console.get(address(tool))).split("<h1")[1].split("</h1>")[0]
    assert f"Try {tool}" in header


def test_what_is_not_theirs_would_be_refused_as_a_real_call_is(
    console: Client, alice: User, bob: User
) -> None:
    tool = Tool.objects.get(slug="document")
    asked = {"action": "delete", "decide": "1", "person": "bob"}
    for key in (make_document(alice).pk, uuid7()):
        page = text_of(send(console, tool, id=str(key), **asked))
        assert "bob would be refused" in page
        assert "<code>not_found</code>" in page
    page = text_of(send(console, tool, id=str(make_document(bob).pk), **asked))
    assert "bob would get: needs confirmation" in page


# --- A call of one's own ---


def test_a_tool_has_its_panel(make: Make, console: Client) -> None:
    tool = make("echo")
    page = console.get(address(tool))
    assert "arguments.text" in text_of(page)
    assert address(tool) in text_of(console.get(reverse("admin:tools_tool_changelist")))
    assert not ToolCall.objects.exists()


def test_it_runs_as_the_operator_and_shows_all_there_is(
    make: Make, console: Client, operator: User, peer: Peer
) -> None:
    page = text_of(send(console, make("echo"), text="hello"))
    call = ToolCall.objects.get()
    assert (call.user, call.origin, call.role) == (operator, "admin", "operator")
    assert call.status == CallStatus.SUCCESS
    assert peer.executed == ["hello"]
    for word in ("succeeded", "The tool is switched on.", "no_approval_needed", "an echo", " ms"):
        assert word in page
    assert reverse("admin:tools_toolcall_change", args=[call.pk]) in page
    assert "&quot;text&quot;: &quot;hello&quot;" in page


def test_arguments_can_be_given_as_json(make: Make, console: Client, peer: Peer) -> None:
    send(console, make("echo"), arguments='{"text": "raw"}')
    assert peer.executed == ["raw"]


def test_a_page_that_is_sent_twice_is_one_call(
    make: Make, console: Client, project: Project
) -> None:
    tool, key = make("rename"), uuid7()
    send(console, tool, key=key, project="demo", name="Atlas")
    page = send(console, tool, key=key, project="demo", name="Atlas")
    assert ToolCall.objects.count() == 1
    assert "The outcome of the same call before" in text_of(page)
    other = send(console, tool, key=key, project="demo", name="Other")
    assert other.context["form"].non_field_errors()
    project.refresh_from_db()
    assert project.name == "Atlas"


def test_the_next_call_has_a_key_of_its_own(make: Make, console: Client) -> None:
    key = uuid7()
    page = send(console, make("echo"), key=key, text="hello")
    assert page.context["key"] != key


@pytest.mark.parametrize(
    ("values", "said"),
    [({}, "Field required"), ({"arguments": '{"text": "a", "colour": 1}'}, "colour: ")],
)
def test_what_does_not_fit_is_said_at_its_field(
    make: Make, console: Client, values: dict[str, Any], said: str
) -> None:
    page = send(console, make("echo"), **values)
    assert "invalid_arguments" in text_of(page)
    assert said in str(page.context["form"].errors)


@pytest.mark.parametrize("arguments", ["{", "[]"])
def test_what_is_no_object_reaches_no_tool(make: Make, console: Client, arguments: str) -> None:
    page = send(console, make("echo"), arguments=arguments)
    assert "arguments" in page.context["form"].errors
    assert not ToolCall.objects.exists()


def test_a_failure_shows_its_code_and_its_message(make: Make, console: Client) -> None:
    page = text_of(send(console, make("echo"), text=REFUSE))
    assert "refused" in page
    assert "It refuses." in page


def test_what_needs_approval_becomes_a_draft_in_ones_own_inbox(
    make: Make, console: Client, operator: User, project: Project
) -> None:
    page = text_of(send(console, make("rename", needs_approval=True), project="demo", name="New"))
    draft = ActionDraft.objects.get()
    assert (draft.owner, draft.state) == (operator, DraftState.DRAFT)
    for word in ("tool_needs_approval", "Rename demo", "Demo → New", reverse("actions:inbox")):
        assert word in page


@pytest.mark.parametrize(("risk", "state"), [(2, None), (3, DraftState.DRAFT)])
def test_confirming_counts_up_to_l2(
    make: Make, console: Client, project: Project, risk: int, state: Any
) -> None:
    tool = make("rename", needs_approval=True, config={"risk": risk})
    send(console, tool, project="demo", name="New", confirm="on")
    draft = ActionDraft.objects.first()
    assert (draft.state if draft else None) == state


def test_a_broken_tool_says_what_is_wrong_with_it(make: Make, console: Client) -> None:
    tool = make("echo")
    Tool.objects.filter(pk=tool.pk).update(type="vanished")
    assert console.get(address(tool)).status_code == 200
    assert "unknown_type" in text_of(send(console, tool))


# --- What would somebody else get? ---


def test_it_shows_every_gates_answer_and_runs_nothing(
    make: Make, console: Client, operator: User, alice: User, peer: Peer
) -> None:
    tool = make("echo", needs_approval=True)
    page = text_of(send(console, tool, text="hello", decide="1", person="alice"))
    for word in ("alice would get: needs confirmation", "tool_needs_approval", "(decides)"):
        assert word in page
    assert "The tool is switched on." in page
    assert peer.executed == []
    assert not ToolCall.objects.exists()
    event = AuditEvent.objects.get(action="policy.previewed")
    assert (event.target_id, event.origin, event.tool) == (str(alice.pk), "admin", tool.slug)


def test_through_an_agent_it_is_the_agents_tools_that_count(
    make: Make, console: Client, alice: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool, agent = make("echo"), uuid7()
    settings.AGENT_DIRECTORY = "tools.testing.FakeDirectory"
    monkeypatch.setattr(FakeDirectory, "tool_sets", {agent: {"other": False}})
    given = {"text": "hello", "decide": "1", "person": "alice", "agent": str(agent)}
    assert "not_in_tool_set" in text_of(send(console, tool, **given))
    monkeypatch.setattr(FakeDirectory, "tool_sets", {agent: {tool.slug: True}})
    assert "agent_needs_approval" in text_of(send(console, tool, confirm="on", **given))


def test_an_agent_that_they_may_not_use_gives_nothing(
    make: Make, console: Client, alice: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.AGENT_DIRECTORY = "tools.testing.FakeDirectory"
    monkeypatch.setattr(FakeDirectory, "tool_sets", {uuid7(): {}})
    monkeypatch.setattr(FakeDirectory, "may_use", lambda *_: False)
    agent = str(next(iter(FakeDirectory.tool_sets)))
    page = send(console, make("echo"), text="hi", decide="1", person="alice", agent=agent)
    assert "agent_not_allowed" in text_of(page)


@pytest.mark.parametrize("person", ["", "nobody", "01a2298c-a3da-71e9-a00f-e67bedd904ea"])
def test_a_person_who_is_not_there_is_said_so(make: Make, console: Client, person: str) -> None:
    page = send(console, make("echo"), text="hi", decide="1", person=person)
    assert "person" in page.context["form"].errors


# --- Who may ---


def test_who_may_only_look_can_run_nothing(make: Make, client: Client) -> None:
    auditor = UserFactory.create(is_staff=True)
    auditor.user_permissions.add(Permission.objects.get(codename="view_tool"))
    client.force_login(auditor)
    tool = make("echo")
    assert client.get(address(tool)).status_code == 403
    assert client.post(address(tool), {"run": "1"}).status_code == 403
    assert client.get(reverse("admin:tools_tool_change", args=[tool.pk])).status_code == 200


def test_of_a_tool_that_is_not_there_any_more_it_is_said(console: Client, make: Make) -> None:
    tool = make("echo")
    Tool.objects.all().delete()
    assert "There is no such tool." in console.get(address(tool), follow=True).content.decode()


# --- What an operator can mend ---

_READS = {**TOOL, "annotations": {"readOnlyHint": True}}


@pytest.mark.parametrize(
    ("kind", "config", "arguments"),
    [
        ("fetch", {}, {"url": "http://127.0.0.1/"}),
        ("http_api", {"base_url": "http://lan.example", "path": "/"}, {}),
        (
            "mcp",
            {
                "url": "http://lan.example/mcp",
                "remote_tool": "search",
                "descriptor": _READS,
                "descriptor_hash": descriptor_hash(_READS),
                "trust_read_only": True,
            },
            {"query": "tea"},
        ),
    ],
)
def test_who_may_change_the_tool_is_told_what_to_change(
    kind: str, config: dict[str, Any], arguments: dict[str, str], console: Client
) -> None:
    tool = Tool.objects.create(slug="t", name="T", type=kind, config=config)
    network = Network(lambda _host, _port: ["127.0.0.1"], system_dial)
    with use_network(network):
        page = text_of(send(console, tool, **arguments))
    assert "address_refused" in page
    assert "add 127.0.0.1/32 to allowed_private_networks" in page
    assert "Ask an operator" not in page


def test_a_host_that_is_not_allowed_is_told_as_well(console: Client) -> None:
    config = {"allowed_domains": ["a.example"]}
    tool = Tool.objects.create(slug="t", name="T", type="fetch", config=config)
    page = text_of(send(console, tool, url="http://b.example/"))
    assert "add it to allowed_domains" in page
    page = text_of(send(console, tool, url="http://b.example/", decide="1", person="operator"))
    assert "add it to allowed_domains" in page
