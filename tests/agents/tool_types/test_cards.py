"""The card of each type: the very arguments that are bound, under the tool's own name."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from agents.models import Agent
from config.base.models import User
from tests.agents.cards import conversation_of
from tests.agents.tool_types.conftest import ToolOf
from tests.agents.tool_types.rows import ELSEWHERE, ROWS, Row
from tests.tools.api import Api
from tools.models import ActionDraft, Tool
from tools.registry import get_tool_type
from tools.schemas import JSON

pytestmark = [pytest.mark.django_db, pytest.mark.both]

EACH = pytest.mark.parametrize(("type_name", "row"), ROWS.items(), ids=ROWS)
NAME = "The very one"


@pytest.fixture(autouse=True)
def elsewhere(operator: User, guide: Agent) -> None:
    conversation_of(operator, guide, title=ELSEWHERE)


def asked_to_confirm(tool: Tool, user: User, arguments: JSON) -> JSON:
    """The draft as the API shows it, of a tool that needs approval."""
    Tool.objects.filter(pk=tool.pk).update(needs_approval=True, name=NAME)
    path = f"/api/agent-tools/{tool.pk}/execute/"
    status, answer = Api(user)("POST", path, {"input": arguments})
    assert (status, answer["success"]) == (200, False), answer
    draft: JSON = answer["action_draft"]
    return draft


def leaves(value: Any) -> Iterator[str]:
    """As a card writes them."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)
    else:
        yield value if isinstance(value, str) else json.dumps(value)


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def shown_on(page: BeautifulSoup) -> str:
    """All that can be read on the card, and what stands in its inputs."""
    inputs = [str(field.get("value", "")) for field in page.select("article input")]
    return " ".join([page.select("article")[0].text, *inputs])


@EACH
def test_it_shows_every_argument_on_the_page_and_in_the_api(
    type_name: str, row: Row, tool_of: ToolOf, operator: User, client: Client
) -> None:
    told = asked_to_confirm(tool_of(type_name, **row.config), operator, row.arguments)
    draft = ActionDraft.objects.get()
    assert told["arguments"] == draft.arguments
    assert told["preview"] is not None
    client.force_login(operator)
    page = BeautifulSoup(client.get("/actions/").content, "html.parser")
    missing = [leaf for leaf in leaves(draft.arguments) if leaf not in shown_on(page)]
    assert missing == []


@EACH
def test_it_names_the_tool_first_and_then_its_type(
    type_name: str, row: Row, tool_of: ToolOf, operator: User, client: Client
) -> None:
    told = asked_to_confirm(tool_of(type_name, **row.config), operator, row.arguments)
    assert (told["tool"], told["tool_name"], told["tool_type"]) == ("mine", NAME, type_name)
    client.force_login(operator)
    head = BeautifulSoup(client.get("/actions/").content, "html.parser").select(".draft-head")[0]
    label = str(get_tool_type(type_name).label)
    assert head.text.index(NAME) < head.text.index(label)
    title = head.select(".draft-title")[0].text
    assert title != label
    assert title == told["title"]


@EACH
def test_what_only_reads_changes_nothing(
    type_name: str, row: Row, tool_of: ToolOf, operator: User, client: Client
) -> None:
    told = asked_to_confirm(tool_of(type_name, **row.config), operator, row.arguments)
    assert told["effect"] == row.effect
    client.force_login(operator)
    meta = BeautifulSoup(client.get("/actions/").content, "html.parser").select(".draft-meta")[0]
    assert ("Can be undone" in meta.text) is (row.effect != "none")
    tells = "Cannot be undone" if not told["reversible"] else "Changes nothing"
    assert row.effect != "none" or tells in meta.text


@EACH
def test_the_answer_is_told_when_it_is_confirmed(
    type_name: str, row: Row, tool_of: ToolOf, operator: User, client: Client
) -> None:
    """Outside a conversation no agent would tell it."""
    draft = asked_to_confirm(tool_of(type_name, **row.config), operator, row.arguments)
    path = f"/api/agent/actions/{draft['id']}/confirm/"
    if row.fills:
        body = {"expected_version": draft["version"], "arguments": row.fills}
        draft = Api(operator)("PATCH", f"/api/agent/actions/{draft['id']}/", body)[1]
    body = {"expected_version": draft["version"], "idempotency_key": "k"}
    status, answer = Api(operator)("POST", path, body)
    assert (status, answer["draft"]["state"]) == (200, "executed"), answer
    data = answer["result"]["data"]
    assert {name: data[name] for name in row.data} == row.data
    assert row.answer in str(data).replace("'", '"')
    assert answer["draft"]["log_id"] == str(ActionDraft.objects.get().call_id)
    again = Api(operator)("POST", path, body)[1]
    assert again["result"] == answer["result"]
    client.force_login(operator)
    page = BeautifulSoup(client.get("/actions/?tab=decided").content, "html.parser")
    card = page.select("article")[0].text
    assert str(ActionDraft.objects.get().call_id) in str(page.select("article")[0])
    assert [leaf for leaf in leaves(row.data) if quoted(leaf) not in card] == []
