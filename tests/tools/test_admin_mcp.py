"""The console's pages of MCP servers: the import, and what a server says of a tool by now."""

from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from config.base.models import User
from skills.models import AuditEvent
from tests.factories import UserFactory
from tests.tools.mcp_servers import TOOL, ScriptedMcp, Told, head_of
from tests.tools.secrets import VALUE, make_secret
from tools.mcp.changes import disable_changed
from tools.mcp.descriptors import descriptor_hash
from tools.mcp.links import forget_links
from tools.models import Tool

pytestmark = pytest.mark.django_db

IMPORT = reverse("admin:tools_tool_import_mcp")
CHANGED: Told = {**TOOL, "description": "Searches\u202e, and more."}


@pytest.fixture
def console(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


@pytest.fixture
def server() -> Iterator[ScriptedMcp]:
    forget_links()
    with ScriptedMcp() as running:
        yield running
    forget_links()


def post(console: Client, server: ScriptedMcp, **values: Any) -> Any:
    given = {"url": server.url, "networks": "127.0.0.1/32", "header": "authorization"}
    response = console.post(IMPORT, {**given, "slug_prefix": "shop", **values})
    assert response.status_code == 200
    return response


def send(console: Client, server: ScriptedMcp, **values: Any) -> str:
    response = post(console, server, **values)
    assert response.context["form"].errors == {}
    return unescape(response.content.decode())


def imported(console: Client, server: ScriptedMcp) -> Tool:
    done = send(console, server, **{"import": "1", "tool": f"{descriptor_hash(TOOL)}:search"})
    assert "No agent has a new tool before it is given to one." in done
    return Tool.objects.get(slug="shop_search")


def address(tool: Tool) -> str:
    return reverse("admin:tools_tool_descriptor", args=[tool.pk])


def test_the_list_of_tools_leads_to_it(console: Client) -> None:
    assert (
        f'href="{IMPORT}"' in console.get(reverse("admin:tools_tool_changelist")).content.decode()
    )
    assert console.get(IMPORT).status_code == 200


def test_it_shows_what_the_server_has_with_what_is_hidden(
    console: Client, operator: User, server: ScriptedMcp
) -> None:
    make_secret(operator, allowed_hosts=["127.0.0.1"])
    server.tools = [CHANGED, {"name": "odd"}]
    text = send(console, server, secret="api", list="1")
    assert "Searches⟨U+202E⟩, and more." in text
    assert f'value="{descriptor_hash(CHANGED)}:search"' in text
    assert "can't be used" in text
    assert "2026-07-28" in text
    assert head_of(server.requests[0])["authorization"] == VALUE
    assert VALUE not in text
    assert not Tool.objects.filter(type="mcp").exists()


def test_the_chosen_ones_become_tools(console: Client, server: ScriptedMcp) -> None:
    server.tools = [TOOL, {**TOOL, "name": "other"}]
    tool = imported(console, server)
    assert tool.config["remote_tool"] == "search"
    assert not tool.enabled  # until looked at
    assert Tool.objects.filter(type="mcp").count() == 1
    event = AuditEvent.objects.get(action="config.changed", tool="shop_search")
    assert (event.actor, event.origin) == ("operator", "admin")
    assert "imported already" in send(console, server, list="1")


def test_what_changed_since_it_was_shown_is_not_imported(
    console: Client, server: ScriptedMcp
) -> None:
    text = send(console, server, **{"import": "1", "tool": f"{'0' * 64}:search"})
    assert "in another way than it was shown" in text
    assert not Tool.objects.filter(type="mcp").exists()


@pytest.mark.parametrize(
    "values",
    [
        {"url": "nonsense"},
        {"enabled": "perhaps"},
        {"networks": "everything"},
        {"networks": ""},
        {"header": "host", "secret": "api"},
        {"secret": "none"},
    ],
)
def test_what_can_not_be_asked_is_told_in_the_form(
    values: dict[str, str], console: Client, operator: User, server: ScriptedMcp
) -> None:
    make_secret(operator, allowed_hosts=["127.0.0.1"])
    response = post(console, server, list="1", **values)
    assert response.context["form"].errors
    assert response.context["offers"] is None
    assert server.requests == []


def test_a_changed_tool_is_shown_line_by_line_and_accepted(
    console: Client, server: ScriptedMcp
) -> None:
    tool = imported(console, server)
    assert "nothing else since it was agreed" in console.get(address(tool)).content.decode()
    disable_changed(tool.pk, CHANGED, pinned_hash=descriptor_hash(TOOL))
    form = console.get(reverse("admin:tools_tool_change", args=[tool.pk])).content.decode()
    assert f'href="{address(tool)}"' in form
    listed = console.get(reverse("admin:tools_tool_changelist")).content.decode()
    assert "changed at its server" in listed
    text = unescape(console.get(address(tool)).content.decode())
    assert 'gh-removed">-  "description": "Searches."' in text
    assert 'gh-added">+  "description": "Searches⟨U+202E⟩, and more."' in text
    stale = console.post(address(tool), {"seen_hash": descriptor_hash(TOOL)}, follow=True)
    assert "no longer what you saw" in unescape(stale.content.decode())
    done = console.post(address(tool), {"seen_hash": descriptor_hash(CHANGED)})
    assert done.status_code == 302
    tool.refresh_from_db()
    assert tool.enabled
    assert tool.config["descriptor"] == CHANGED


def test_its_settings_can_be_changed_in_the_form(console: Client, server: ScriptedMcp) -> None:
    """Though the descriptor is somebody else's JSON."""
    tool = imported(console, server)
    form_address = reverse("admin:tools_tool_change", args=[tool.pk])
    form = console.get(form_address).context["adminform"].form
    values = {name: form[name].value() for name in form.fields}
    shown = {"config-shown": form.part.shown_text, "type-shown": "mcp"}
    sent = {n: v for n, v in values.items() if v is not None and v is not False}
    answer = console.post(form_address, {**sent, **shown, "config.timeout_ms": "7000"})
    assert answer.status_code == 302, answer.context["adminform"].form.errors
    tool.refresh_from_db()
    assert tool.config["timeout_ms"] == 7000
    assert tool.config["descriptor"] == TOOL


def test_a_tool_of_another_type_has_no_such_page(console: Client) -> None:
    assert console.get(address(Tool.objects.get(slug="fetch"))).status_code == 404


def test_who_may_not_change_tools_may_neither_import_nor_accept(
    client: Client, console: Client, server: ScriptedMcp
) -> None:
    tool = imported(console, server)
    reader = UserFactory.create(username="reader", is_staff=True)
    reader.user_permissions.add(Permission.objects.get(codename="view_tool"))
    client.force_login(reader)
    assert client.get(IMPORT).status_code == 403
    assert client.post(IMPORT, {"url": server.url}).status_code == 403
    assert client.post(address(tool), {"seen_hash": "x"}).status_code == 403
    assert IMPORT not in client.get(reverse("admin:tools_tool_changelist")).content.decode()


STRANGE: list[Told] = [
    {"properties": {"a": True, "b": False}},
    {"properties": {"a": {"$ref": "#/$defs/none"}}},
    {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/a"}}},
    {"properties": {"a": {"$ref": "#"}}},
    {"properties": {"a": {"type": ["string", "null"]}, "b": {"type": []}}},
    {"properties": {"a": {"enum": [{"x": 1}, None, [], "y"]}, "b": {"const": {"x": 1}}}},
    {"properties": {"a": {"title": "", "description": "", "default": {"x": []}}}},
    {"properties": {"": {}, "a b": {}, "config": {}, "<b>": {"description": "<script>"}}},
    {"properties": {"a": {"type": "array", "items": True}, "b": {"type": "array"}}},
    {"properties": {"a": {"anyOf": []}, "b": {"oneOf": [{}, {"type": "null"}]}}},
    {"properties": {"a": {"type": "integer", "minimum": 1e300, "maximum": -5}}},
    {"properties": {"a": {"type": "object", "additionalProperties": {"type": "object"}}}},
    {"properties": {"a": {"anyOf": [{"type": ["string", "null"]}, {"type": "integer"}, True]}}},
    {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": True}},
    {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {"a": {"type": "array", "items": [{"type": "string"}, True]}},
    },
    {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "properties": {"a": {"type": "integer", "minimum": 1, "exclusiveMinimum": True}},
    },
    {"required": ["missing"], "additionalProperties": False},
    {"allOf": [{"properties": {"a": {}}}], "if": {}, "then": {"required": ["a"]}},
    {"properties": {f"p{n}": {"type": "string"} for n in range(300)}},
]


@pytest.mark.parametrize("schema", STRANGE, ids=str)
def test_strange_schemas_can_be_imported_tried_and_offered(
    schema: Told, console: Client, server: ScriptedMcp
) -> None:
    """Or are refused at the import; nothing breaks a page later."""
    server.tools = [{**TOOL, "inputSchema": {"type": "object", **schema}}]
    text = send(console, server, list="1")
    found = descriptor_hash(server.tools[0])
    if f"{found}:search" not in text:
        assert "can't be used" in text
        return
    send(console, server, **{"import": "1", "tool": f"{found}:search"})
    tool = Tool.objects.get(slug="shop_search")
    for name in ("change", "try_it"):
        assert console.get(reverse(f"admin:tools_tool_{name}", args=[tool.pk])).status_code == 200


def test_new_tools_are_on_where_the_operator_says_so(console: Client, server: ScriptedMcp) -> None:
    assert post(console, server, list="1").context["form"]["enabled"].value() == "off"
    chosen = f"{descriptor_hash(TOOL)}:search"
    send(console, server, **{"import": "1", "tool": chosen, "enabled": "on"})
    assert Tool.objects.get(slug="shop_search").enabled


def test_an_address_of_ones_own_network_is_opened_in_its_section(
    console: Client, server: ScriptedMcp
) -> None:
    response = post(console, server, list="1", networks="")
    [advice] = response.context["form"].errors["networks"]
    assert "add 127.0.0.1/32 to allowed_private_networks" in advice
    assert "<details open>" in response.content.decode()
