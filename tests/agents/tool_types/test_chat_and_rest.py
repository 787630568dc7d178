"""Each type end to end: a model calls it in a chat, and a program over REST."""

from typing import Any

import pytest

from agents import actions
from agents.models import Agent, Message, Run, RunStatus, RunStep
from agents.testing import ScriptedClient
from config.base.actor import Actor, Origin
from config.base.models import User
from skills.models import AuditEvent
from tests.agents.cards import conversation_of
from tests.agents.conftest import Turn, asks, call, go_on
from tests.agents.tool_types.conftest import ToolOf
from tests.agents.tool_types.rows import ELSEWHERE, ROWS, Row
from tests.tools.api import Api
from tools.enums import LogPayload
from tools.models import ActionDraft, Tool, ToolCall
from tools.registry import get_tool_type, list_tool_types
from tools.schemas import JSON

pytestmark = [pytest.mark.django_db, pytest.mark.both]

EACH = pytest.mark.parametrize(("type_name", "row"), ROWS.items(), ids=ROWS)


def test_every_type_has_its_row() -> None:
    assert set(ROWS) == {tool_type.name for tool_type in list_tool_types()}


@pytest.fixture(autouse=True)
def elsewhere(alice: User, operator: User, guide: Agent) -> None:
    """A conversation of each of them."""
    for user in (alice, operator):
        conversation_of(user, guide, title=ELSEWHERE)


def confirm_waiting(user: User, row: Row) -> ActionDraft:
    draft = ActionDraft.objects.waiting().get()
    assert (draft.kind == "consent", draft.owner) == (row.waits_for == "consent", user)
    actor = Actor(user=user, origin=Origin.PAGE)
    if row.fills:
        draft = actions.revise(actor, draft.pk, expected_version=draft.version, arguments=row.fills)
    actions.confirm(actor, draft.pk, expected_version=draft.version, idempotency_key="k")
    draft.refresh_from_db()
    return draft


def holds(data: Any, expected: JSON) -> bool:
    return {name: data[name] for name in expected} == expected


def check_ledger(row: Row, type_name: str, **facts: Any) -> ToolCall:
    """The one call that there was, and what of it is kept."""
    ledger = ToolCall.objects.get()
    assert (ledger.tool_slug, ledger.tool_type, ledger.status) == ("mine", type_name, "success")
    assert (ledger.effect, ledger.error_code) == (row.effect, "")
    assert {name: getattr(ledger, name) for name in facts} == facts
    assert ledger.finished_at is not None
    assert ledger.duration_ms is not None
    assert (ledger.decision or {})["outcome"] == (
        f"needs_{row.waits_for}" if row.waits_for else "allow"
    )
    event = AuditEvent.objects.get(action="tool.call.succeeded")
    assert (event.tool, event.target_id) == ("mine", str(ledger.pk))
    full = get_tool_type(type_name).log_payload == LogPayload.FULL
    assert (set(row.arguments) <= set(ledger.content.input or {})) is full
    assert (ledger.content.output is not None) is full
    assert ledger.content.input_bytes > 0
    return ledger


def asked_in_chat(
    tool: Tool, arguments: JSON, user: User, turn: Turn, model: ScriptedClient
) -> Run:
    model.script = [
        asks(call(tool.slug, arguments)),
        lambda request: f"It said: {request.messages[-1].content}",
    ]
    return turn(user, "Use your tool.")


@EACH
def test_a_model_calls_it_in_a_chat(
    type_name: str, row: Row, tool_of: ToolOf, alice: User, turn: Turn, model: ScriptedClient
) -> None:
    tool = tool_of(type_name, **row.config)
    run = asked_in_chat(tool, row.arguments, alice, turn, model)
    if row.waits_for:
        assert run.status == RunStatus.WAITING
        confirm_waiting(alice, row)
        run = go_on(run)
    assert (run.status, run.response_status, run.tools) == ("completed", "COMPLETED", ["mine"])
    [offered] = [one for one in model.requests[0].tools if one.name == "mine"]
    assert "Error codes:" in offered.description
    assert set(row.arguments) <= set(offered.parameters["properties"])

    first, last = RunStep.objects.filter(run=run).order_by("n")
    [asked] = first.tool_calls
    assert (asked["name"], asked["arguments"]) == ("mine", row.arguments)
    [told] = first.results.values()
    assert told["success"] is True
    assert holds(told["data"], row.data)
    assert (last.tool_calls, last.results) == ([], {})
    answer = Message.objects.get(run=run, role="assistant", conversation=run.conversation).text
    assert answer == last.text
    assert row.answer in answer

    check_ledger(
        row,
        type_name,
        user=alice,
        origin="chat",
        run_id=run.pk,
        conversation_id=run.conversation_id,
        agent_id=run.agent_id,
        idempotency_key=f"run:{run.pk}:1:0",
    )


@EACH
def test_a_model_is_told_which_argument_does_not_fit(
    type_name: str, row: Row, tool_of: ToolOf, alice: User, turn: Turn, model: ScriptedClient
) -> None:
    tool = tool_of(type_name, **row.config)
    run = asked_in_chat(tool, row.invalid, alice, turn, model)
    assert run.status == RunStatus.COMPLETED
    [told] = RunStep.objects.get(run=run, n=1).results.values()
    assert told["error"]["code"] == "invalid_arguments"
    assert told["error"]["message"].startswith(f"{row.at}: ")
    assert ToolCall.objects.get().status == "error"


def execute(tool: Tool, user: User, arguments: JSON) -> dict[str, Any]:
    path = f"/api/agent-tools/{tool.pk}/execute/"
    status, answer = Api(user)("POST", path, {"input": arguments})
    assert status == 200, answer
    found: dict[str, Any] = answer
    return found


@EACH
def test_it_is_executed_over_rest(
    type_name: str, row: Row, tool_of: ToolOf, operator: User
) -> None:
    tool = tool_of(type_name, **row.config)
    answer = execute(tool, operator, row.arguments)
    if row.waits_for:
        assert (answer["success"], answer["error"]["code"]) == (False, f"needs_{row.waits_for}")
        data = (confirm_waiting(operator, row).result or {})["data"]
    else:
        assert (answer["success"], answer["error"]) == (True, None)
        data = answer["data"]
    assert holds(data, row.data)
    assert row.answer in str(data).replace("'", '"')
    ledger = check_ledger(row, type_name, user=operator, origin="api", run_id=None)
    assert answer["log_id"] == str(ledger.pk)
    assert answer["decision"] == ledger.decision
    status, log = Api(operator)("GET", f"/api/agent-tools/logs/{ledger.pk}/")
    assert (status, log["type"], log["status"]) == (200, type_name, "success")


@EACH
def test_over_rest_it_is_said_which_argument_does_not_fit(
    type_name: str, row: Row, tool_of: ToolOf, operator: User
) -> None:
    answer = execute(tool_of(type_name, **row.config), operator, row.invalid)
    assert (answer["success"], answer["data"]) == (False, None)
    assert answer["error"]["code"] == "invalid_arguments"
    assert answer["error"]["message"].startswith(f"{row.at}: ")
    ledger = ToolCall.objects.get()
    assert (ledger.status, ledger.error_code) == ("error", "invalid_arguments")
    assert answer["log_id"] == str(ledger.pk)
