"""What a run is told and writes when something happens between its steps."""

from decimal import Decimal
from typing import Any

import pytest
from django.db import connection

from agents import actions
from agents.model_clients.protocol import ModelReply, ToolRequest, Usage
from agents.models import Agent, Message, MessageRole, Run, RunEvent, RunStatus, RunStep
from agents.receipts import write_missing_receipts
from agents.runs.claim import claim_run
from agents.runs.drive import drive
from agents.runs.finish import cancel_run
from agents.runs.start import TurnRequest, start_turn
from agents.testing import ScriptedClient
from config.base.actor import Actor, Origin
from config.base.models import Membership, User
from documents.models import Document
from skills.models import AuditEvent
from tests.agents.conftest import Turn, asks, call, go_on, says
from tools import pipeline
from tools.decisions import Reason
from tools.enums import CallStatus, DraftState
from tools.errors import CallDenied
from tools.gates import PreparedCall
from tools.models import ActionDraft, Tool, ToolCall
from tools.schemas import CallContext

pytestmark = [pytest.mark.django_db, pytest.mark.both]


class Killed(BaseException):
    """What kill -9 looks like from within: nothing of ours handles it."""


def person(user: User) -> Actor:
    return Actor(user=user, origin=Origin.PAGE)


def confirm(user: User, draft: ActionDraft, key: str = "k") -> ActionDraft:
    draft.refresh_from_db()
    return actions.confirm(
        person(user), draft.pk, expected_version=draft.version, idempotency_key=key
    )


@pytest.fixture
def notes(alice: User) -> Document:
    return Document.objects.create(owner=alice, title="Notes", content="Hello", type="document")


def delete(document: Document, *, id_: str = "1") -> ToolRequest:
    return call("document", {"action": "delete", "id": str(document.pk)}, id_=id_)


def told(model: ScriptedClient) -> str:
    return model.requests[-1].messages[-1].content


def test_what_was_done_is_told_though_the_tool_was_switched_off_since(
    alice: User, turn: Turn, model: ScriptedClient, notes: Document
) -> None:
    model.script = [asks(delete(notes)), says("Deleted.")]
    run = turn(alice, "delete Notes")
    confirm(alice, ActionDraft.objects.get())
    Tool.objects.filter(slug="document").update(enabled=False)
    go_on(run)
    assert '"success": true' in told(model)


def test_of_two_equal_calls_one_refused_the_other_done_each_has_its_own_result(
    alice: User, turn: Turn, model: ScriptedClient, notes: Document
) -> None:
    model.script = [asks(delete(notes), delete(notes, id_="2")), says("One of them.")]
    run = turn(alice, "delete Notes twice")
    first, second = ActionDraft.objects.order_by("created_at")
    actions.dismiss(person(alice), second.pk)
    confirm(alice, first)
    go_on(run)
    done, refused = model.requests[-1].messages[-2:]
    assert '"success": true' in done.content
    assert '"code": "dismissed"' in refused.content


def test_a_refused_call_that_died_is_settled_by_the_next_driver(
    alice: User, guide: Agent, model: ScriptedClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.script = [asks(call("no_such_tool", {})), says("There is none.")]
    run = start_turn(alice, TurnRequest(text="hi", enable_tools=True))
    with monkeypatch.context() as patched:
        patched.setattr(pipeline, "_end", lambda *args: (_ for _ in ()).throw(Killed()))
        fence = claim_run(run.pk, "dying")
        assert fence is not None
        with pytest.raises(Killed):
            drive(fence)
    fence.let_go()
    assert go_on(run).status == RunStatus.COMPLETED
    ledger = ToolCall.objects.get()
    assert (ledger.status, ledger.error_code) == (CallStatus.ERROR, "unknown_tool")
    assert AuditEvent.objects.filter(action="tool.call.failed").count() == 1


def test_a_cancelled_run_leaves_no_call_open(
    alice: User, turn: Turn, model: ScriptedClient, notes: Document
) -> None:
    model.script = [asks(delete(notes))]
    run = turn(alice, "delete Notes")
    ToolCall.objects.create(
        idempotency_key="reading",
        tool_slug="fetch",
        tool_type="fetch",
        user=alice,
        origin="chat",
        run_id=run.pk,
        status=CallStatus.OPEN,
    )
    cancel_run(person(alice), run.pk)
    assert not ToolCall.objects.open().exists()
    assert set(ToolCall.objects.values_list("status", flat=True)) == {CallStatus.CANCELLED}


def test_a_retry_that_succeeds_is_said_though_its_run_was_still_going(
    alice: User, turn: Turn, model: ScriptedClient, notes: Document
) -> None:
    """It failed, the model was told so; before it answered, the person tried again."""

    def meanwhile(request: object) -> ModelReply:
        draft = ActionDraft.objects.get()
        assert draft.state == DraftState.FAILED
        ToolCall.objects.filter(pk=draft.call_id)
        actions.revise(person(alice), draft.pk, expected_version=draft.version, arguments={})
        confirm(alice, draft, key="again")
        return says("It failed.")

    model.script = [asks(delete(notes)), meanwhile]
    run = turn(alice, "delete Notes")
    draft = ActionDraft.objects.get()
    draft.state, draft.error_code = DraftState.FAILED, "tool_error"
    draft.save()
    ToolCall.objects.filter(pk=draft.call_id).update(
        status=CallStatus.ERROR, error_code="tool_error", finished_at=draft.updated_at
    )
    run = go_on(run)
    assert not Document.objects.filter(pk=notes.pk).exists()
    receipt = Message.objects.get(role=MessageRole.RECEIPT)
    assert "Notes" in receipt.text
    assert write_missing_receipts() == 0  # twice is once


def test_a_receipt_that_was_never_written_is_made_good_by_the_sweep(
    alice: User, turn: Turn, model: ScriptedClient, notes: Document
) -> None:
    model.script = [asks(delete(notes)), says("Stopped.")]
    run = turn(alice, "delete Notes")
    draft = ActionDraft.objects.select_related("call", "owner").get()
    ActionDraft.objects.filter(pk=draft.pk).update(
        state=DraftState.EXECUTED, receipt={"id": str(notes.pk), "revision": 2}
    )
    ToolCall.objects.filter(pk=draft.call_id).update(status=CallStatus.SUCCESS)
    Run.objects.filter(pk=run.pk).update(status=RunStatus.CANCELLED)
    assert write_missing_receipts() == 1
    assert write_missing_receipts() == 0
    assert "revision 2" in Message.objects.get(role=MessageRole.RECEIPT).text


def test_what_a_confirmed_read_brings_in_marks_the_run(
    alice: User, turn: Turn, model: ScriptedClient, notes: Document
) -> None:
    Tool.objects.filter(slug="document").update(needs_approval=True)
    read = call("document", {"action": "read", "id": str(notes.pk), "full_content": True})
    model.script = [asks(read), says("It says Hello.")]
    run = turn(alice, "read Notes")
    confirm(alice, ActionDraft.objects.get())
    go_on(run)
    assert "private" in RunStep.objects.get(run=run, n=1).provenance
    assert "private" in Message.objects.get(role=MessageRole.ASSISTANT).provenance


@pytest.mark.parametrize(
    "reply",
    [
        says("a\x00b \ud800"),
        asks(call("calc\x00\ud800", {"x": "\x00"})),
        asks(call("calculator", {"expression": "1\x00\ud800"}), text="\x00"),
        asks(ToolRequest("1\x00", "calculator", None, "\x00\ud800")),
    ],
)
def test_text_that_no_database_holds_breaks_nothing(
    alice: User, turn: Turn, model: ScriptedClient, reply: ModelReply
) -> None:
    model.script = [reply, says("Done.")]
    assert turn(alice, "hi").status == RunStatus.COMPLETED


class BrokenGate:
    """Its query fails; on PostgreSQL that spoils the transaction around it."""

    name = "broken"

    def judge(self, call: PreparedCall, context: CallContext) -> Reason:
        with connection.cursor() as cursor:
            cursor.execute("SELECT no_such_column FROM no_such_table")
        raise AssertionError


@pytest.mark.parametrize("path", [f"{__name__}.BrokenGate", "no.such.Gate"])
def test_a_gate_that_can_not_decide_refuses_at_confirming_too(
    alice: User, turn: Turn, model: ScriptedClient, notes: Document, settings: Any, path: str
) -> None:
    model.script = [asks(delete(notes)), says("Refused.")]
    run = turn(alice, "delete Notes")
    settings.TOOL_GATES = [*settings.TOOL_GATES, path]
    with pytest.raises(CallDenied):
        confirm(alice, ActionDraft.objects.get())
    assert Document.objects.filter(pk=notes.pk).exists()
    ledger = ToolCall.objects.get()
    assert (ledger.status, (ledger.decision or {})["reason_code"]) == ("denied", "gate_failed")
    assert go_on(run).status == RunStatus.COMPLETED


def test_whoever_lost_the_agent_confirms_nothing_and_drives_nothing(
    alice: User, turn: Turn, model: ScriptedClient, notes: Document
) -> None:
    Agent.objects.update(roles=["employee"])
    model.script = [asks(delete(notes))]
    run = turn(alice, "delete Notes")
    Membership.objects.filter(user=alice).delete()
    with pytest.raises(CallDenied):
        confirm(alice, ActionDraft.objects.get())
    assert Document.objects.filter(pk=notes.pk).exists()
    run = go_on(run)
    assert (run.status, run.error_code) == (RunStatus.FAILED, "agent_gone")


def test_what_a_model_costs_is_added_up(alice: User, turn: Turn, model: ScriptedClient) -> None:
    dear = asks(call("calculator", {"expression": "1+1"}))
    model.script = [
        ModelReply(dear.text, dear.tool_calls, Usage(10, 5, 0.25)),
        ModelReply("2", usage=Usage(20, 1, 0.5)),
    ]
    run = turn(alice, "1+1")
    assert (run.input_tokens, run.output_tokens, run.cost_usd) == (30, 6, Decimal("0.75"))


def test_a_card_is_announced_once_also_by_the_next_driver(
    alice: User, guide: Agent, model: ScriptedClient, notes: Document
) -> None:
    """The process that parked it died before it could say so."""
    model.script = [asks(delete(notes)), says("Deleted.")]
    run = start_turn(alice, TurnRequest(text="delete Notes", enable_tools=True))
    go_on(run)
    RunEvent.objects.filter(run=run, type="action.required").delete()
    Run.objects.filter(pk=run.pk).update(status=RunStatus.QUEUED)
    for _ in range(2):
        go_on(run)
        Run.objects.filter(pk=run.pk).update(status=RunStatus.QUEUED)
    assert RunEvent.objects.filter(run=run, type="action.required").count() == 1


def test_one_reply_can_not_ask_for_calls_without_end(
    alice: User, turn: Turn, model: ScriptedClient
) -> None:
    many = [call("calculator", {"expression": str(n)}, id_=str(n)) for n in range(20)]
    model.script = [asks(*many), says("Enough.")]
    assert turn(alice, "count").status == RunStatus.COMPLETED
    assert ToolCall.objects.filter(error_code="too_many_calls").count() == 4
