"""A run: model, tools, answer; whatever the model or a tool does, the conversation goes on."""

import pytest

from agents import actions
from agents.model_clients.errors import ModelRefused, ModelTimeout, ModelUnreachable
from agents.model_clients.protocol import ToolRequest
from agents.models import Message, MessageRole, ResponseStatus, Run, RunEvent, RunStatus, RunStep
from agents.runs.claim import claim_run
from agents.runs.drive import drive
from agents.runs.fence import RunFence
from agents.runs.finish import cancel_run
from agents.runs.response import build_response
from agents.runs.start import TurnRequest, start_turn
from agents.testing import ScriptedClient
from config.base.actor import Actor, Origin
from config.base.models import User
from documents.models import Document
from skills.models import AuditEvent
from tests.agents.conftest import Turn, asks, call, go_on, says
from tools.enums import CallStatus, DraftState
from tools.models import ActionDraft, Tool, ToolCall

pytestmark = [pytest.mark.django_db, pytest.mark.both]


def answer_of(run: Run) -> str:
    return Message.objects.get(run=run, role=MessageRole.ASSISTANT).text


def events_of(run: Run) -> list[str]:
    return list(RunEvent.objects.filter(run=run).values_list("type", flat=True))


def person(user: User) -> Actor:
    return Actor(user=user, origin=Origin.PAGE)


def confirm(user: User, draft: ActionDraft) -> ActionDraft:
    return actions.confirm(
        person(user), draft.pk, expected_version=draft.version, idempotency_key="k"
    )


def test_it_answers_without_tools_unless_they_are_asked_for(
    alice: User, turn: Turn, model: ScriptedClient
) -> None:
    model.script = [says("Hello.")]
    run = turn(alice, "hi", tools=False)
    assert (run.status, run.response_status) == (RunStatus.COMPLETED, ResponseStatus.COMPLETED)
    assert answer_of(run) == "Hello."
    assert model.requests[0].tools == ()
    assert events_of(run) == ["run.started", "step.started", "text.delta", "run.finished"]


def test_it_offers_the_agents_tools_in_order(
    alice: User, turn: Turn, model: ScriptedClient
) -> None:
    Tool.objects.filter(slug="fetch").update(sort_order=-1)
    Tool.objects.filter(slug="datetime").update(enabled=False)
    model.script = [says("Hello.")]
    turn(alice, "hi")
    assert [tool.name for tool in model.requests[0].tools] == ["fetch", "calculator", "document"]


def test_it_calls_a_tool_and_tells_the_model_what_came(
    alice: User, turn: Turn, model: ScriptedClient
) -> None:
    model.script = [asks(call("calculator", {"expression": "6*7"})), says("It is 42.")]
    run = turn(alice, "6*7?")
    assert answer_of(run) == "It is 42."
    told = model.requests[1].messages[-1]
    assert (told.role, told.tool_call_id) == ("tool", "1")
    assert '"result": "42"' in told.content
    assert events_of(run) == [
        "run.started",
        "step.started",
        "tool.started",
        "tool.finished",
        "step.started",
        "text.delta",
        "run.finished",
    ]
    assert run.tools == ["calculator"]
    ledger = ToolCall.objects.get()
    assert (ledger.status, ledger.run_id, ledger.user) == (CallStatus.SUCCESS, run.pk, alice)


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("calculator", {"expression": "1/0"}, "divzero"),
        ("calculator", {"wrong": 1}, "invalid_arguments"),
        ("calculator", None, "invalid_arguments"),
        ("no_such_tool", {}, "unknown_tool"),
        ("document", {"action": "read", "id": "00000000-0000-7000-8000-000000000000"}, "not_found"),
    ],
)
def test_a_failing_call_is_a_result_and_the_run_goes_on(
    alice: User,
    turn: Turn,
    model: ScriptedClient,
    name: str,
    arguments: dict[str, object] | None,
    code: str,
) -> None:
    model.script = [asks(call(name, arguments)), says("I could not.")]
    run = turn(alice, "do it")
    assert run.status == RunStatus.COMPLETED
    assert f'"code": "{code}"' in model.requests[1].messages[-1].content
    assert ToolCall.objects.get().error_code == code
    assert AuditEvent.objects.filter(action="tool.call.failed", reason_code=code).count() == 1


def test_it_stops_at_the_step_limit_and_says_so(
    alice: User, turn: Turn, model: ScriptedClient
) -> None:
    model.script = [asks(call("calculator", {"expression": str(n)})) for n in range(5)]
    model.script.append(asks(call("calculator", {"expression": "9"}), text="So far 4."))
    run = turn(alice, "go on for ever")
    assert run.status == RunStatus.COMPLETED
    assert answer_of(run) == "So far 4."
    assert len(run.warnings) == 1
    assert model.requests[-1].tools == ()
    assert ToolCall.objects.count() == 5


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ModelTimeout(), ResponseStatus.UNAVAILABLE),
        (ModelUnreachable(), ResponseStatus.UNAVAILABLE),
        (ModelRefused(), ResponseStatus.FAILED),
        (RuntimeError("a client that breaks its promise"), ResponseStatus.FAILED),
    ],
)
def test_a_model_that_fails_leaves_a_usable_conversation(
    alice: User, turn: Turn, model: ScriptedClient, error: Exception, status: ResponseStatus
) -> None:
    model.script = [error, says("Here I am.")]
    run = turn(alice, "hi")
    assert (run.status, run.response_status) == (RunStatus.FAILED, status)
    assert build_response(run)["error"]["code"].startswith("model_")
    again = turn(alice, "again", conversation_id=run.conversation_id)
    assert answer_of(again) == "Here I am."


def test_an_empty_answer_is_named(alice: User, turn: Turn, model: ScriptedClient) -> None:
    model.script = [says("  ")]
    run = turn(alice, "hi")
    assert run.status == RunStatus.COMPLETED
    assert run.warnings


@pytest.fixture
def notes(alice: User) -> Document:
    return Document.objects.create(owner=alice, title="Notes", content="Hello", type="document")


def delete(document: Document, *, id_: str = "1") -> ToolRequest:
    return call("document", {"action": "delete", "id": str(document.pk)}, id_=id_)


def test_deleting_waits_for_the_person_and_happens_once(
    alice: User, turn: Turn, model: ScriptedClient, notes: Document
) -> None:
    model.script = [asks(delete(notes)), says("Deleted.")]
    run = turn(alice, "delete Notes")
    assert run.status == RunStatus.WAITING
    assert build_response(run)["status"] == ResponseStatus.NEEDS_CONFIRMATION
    assert Document.objects.filter(pk=notes.pk).exists()
    draft = ActionDraft.objects.get()
    assert draft.owner == alice

    assert confirm(alice, draft).state == DraftState.EXECUTED
    assert not Document.objects.filter(pk=notes.pk).exists()
    run = go_on(run)
    assert answer_of(run) == "Deleted."
    assert '"success": true' in model.requests[1].messages[-1].content
    assert events_of(run).count("action.required") == 1


@pytest.mark.parametrize("words", ["", "I still need it"])
def test_dismissing_leaves_it_and_the_model_is_told(
    alice: User, turn: Turn, model: ScriptedClient, notes: Document, words: str
) -> None:
    model.script = [asks(delete(notes)), says("I left it.")]
    run = turn(alice, "delete Notes")
    actions.dismiss(person(alice), ActionDraft.objects.get().pk, reason=words)
    run = go_on(run)
    assert answer_of(run) == "I left it."
    told = model.requests[1].messages[-1].content
    assert '"code": "dismissed"' in told
    assert words in told
    assert Document.objects.filter(pk=notes.pk).exists()


def test_answering_instead_reaches_the_model(
    alice: User, turn: Turn, model: ScriptedClient, notes: Document
) -> None:
    model.script = [asks(delete(notes)), says("I will rename it.")]
    run = turn(alice, "delete Notes")
    actions.respond(person(alice), ActionDraft.objects.get().pk, message="Rename it instead")
    go_on(run)
    told = model.requests[1].messages[-1].content
    assert '"code": "answered"' in told
    assert "Rename it instead" in told


def test_an_identical_call_after_a_refusal_is_not_asked_again(
    alice: User, turn: Turn, model: ScriptedClient, notes: Document
) -> None:
    model.script = [asks(delete(notes)), asks(delete(notes)), says("As you wish.")]
    run = turn(alice, "delete Notes")
    actions.dismiss(person(alice), ActionDraft.objects.get().pk)
    run = go_on(run)
    assert run.status == RunStatus.COMPLETED
    assert ActionDraft.objects.count() == 1
    assert '"code": "already_decided"' in model.requests[2].messages[-1].content


def test_several_cards_of_one_step_are_decided_in_any_order(
    alice: User, turn: Turn, model: ScriptedClient, notes: Document
) -> None:
    other = Document.objects.create(owner=alice, title="Other", content="x", type="document")
    sum_ = call("calculator", {"expression": "1+1"}, id_="3")
    model.script = [
        asks(delete(notes), delete(other, id_="2"), sum_),
        says("Done as you said."),
    ]
    run = turn(alice, "delete both")
    first, second = ActionDraft.objects.order_by("created_at")
    assert len(build_response(run)["action_drafts"]) == 2
    actions.dismiss(person(alice), second.pk)
    assert go_on(run).status == RunStatus.WAITING
    confirm(alice, first)
    run = go_on(run)
    assert answer_of(run) == "Done as you said."
    results = [m for m in model.requests[1].messages if m.role == "tool"]
    assert [m.tool_call_id for m in results] == ["1", "2", "3"]


def test_a_run_that_was_taken_over_writes_nothing(
    alice: User, guide: object, model: ScriptedClient
) -> None:
    run = start_turn(alice, TurnRequest(text="hi", enable_tools=True))
    fence = claim_run(run.pk, "first")
    assert fence is not None
    Run.objects.filter(pk=run.pk).update(revision=fence.revision + 1)  # as another claim does
    model.script = [says("late")]
    drive(fence)
    assert events_of(run) == ["run.started"]
    assert not Message.objects.filter(run=run, role=MessageRole.ASSISTANT).exists()


def test_a_run_taken_over_in_mid_effect_has_no_effect(
    alice: User, guide: object, model: ScriptedClient
) -> None:
    """The model call takes so long that the lease is lost; what it asked for must not happen."""
    run = start_turn(alice, TurnRequest(text="hi", enable_tools=True))
    fence = claim_run(run.pk, "first")
    assert fence is not None

    def lose_lease(request: object) -> object:
        Run.objects.filter(pk=run.pk).update(revision=fence.revision + 1)
        return asks(call("document", {"action": "create", "title": "x", "content": "y"}))

    model.script = [lose_lease]  # type: ignore[list-item]  # a callable line of the script
    drive(fence)
    assert not Document.objects.exists()
    assert not ToolCall.objects.exists()


def test_a_stored_reply_is_never_asked_for_again(
    alice: User, guide: object, model: ScriptedClient
) -> None:
    run = start_turn(alice, TurnRequest(text="hi", enable_tools=True))
    assert run.conversation
    Run.objects.update(revision=1)  # by a process that is no more
    RunStep.objects.create(
        run=run,
        conversation=run.conversation,
        n=1,
        replied=True,
        tool_calls=[
            {
                "id": "a",
                "name": "calculator",
                "arguments": {"expression": "2+2"},
                "raw_arguments": "",
            }
        ],
    )
    model.script = [says("Four.")]
    run = go_on(run)
    assert answer_of(run) == "Four."
    assert len(model.requests) == 1


def test_a_step_that_was_cut_off_begins_anew_and_says_so(
    alice: User, guide: object, model: ScriptedClient
) -> None:
    run = start_turn(alice, TurnRequest(text="hi"))
    assert run.conversation
    Run.objects.update(revision=1)  # by a process that is no more
    RunStep.objects.create(run=run, conversation=run.conversation, n=1)
    model.script = [says("Hello.")]
    run = go_on(run)
    assert "step.restarted" in events_of(run)
    assert RunStep.objects.get(run=run).attempt == 2


def test_cancelling_ends_run_and_cards_and_the_conversation_goes_on(
    alice: User, turn: Turn, model: ScriptedClient, notes: Document
) -> None:
    model.script = [asks(delete(notes)), says("Hello again.")]
    run = turn(alice, "delete Notes")
    cancelled = cancel_run(person(alice), run.pk)
    assert cancelled.response_status == ResponseStatus.CANCELLED
    draft = ActionDraft.objects.select_related("call").get()
    assert (draft.state, draft.reason) == (DraftState.DISMISSED, "run_cancelled")
    assert draft.call.status == CallStatus.CANCELLED
    assert go_on(run).status == RunStatus.CANCELLED
    assert cancel_run(person(alice), run.pk).status == RunStatus.CANCELLED  # twice is once
    again = turn(alice, "hello", conversation_id=run.conversation_id)
    assert answer_of(again) == "Hello again."


def test_provenance_follows_what_was_read(
    alice: User, turn: Turn, model: ScriptedClient, notes: Document
) -> None:
    read = call("document", {"action": "read", "id": str(notes.pk), "full_content": True})
    write = call("document", {"action": "create", "title": "Copy", "content": "Hello"}, id_="2")
    model.script = [asks(read), asks(write), says("Copied.")]
    run = turn(alice, "copy Notes")
    assert "private" in Document.objects.get(title="Copy").provenance
    assert "private" in Message.objects.get(run=run, role=MessageRole.ASSISTANT).provenance


def test_memory_of_one_conversation_is_read_in_a_later_one(alice: User, turn: Turn) -> None:
    """With the offline model, as `make run` starts it."""
    turn(alice, "remember that my favourite colour is green")
    later = turn(alice, "what is my favourite colour?")
    assert "green" in answer_of(later)
    memory = Document.objects.get(type="memory")
    assert memory.conversation_id


def test_the_same_memory_is_not_kept_twice(alice: User, turn: Turn) -> None:
    turn(alice, "remember that I live in Berlin.")
    last = turn(alice, "remember that I live in Berlin.")
    assert Document.objects.filter(type="memory").count() == 1
    assert "already" in answer_of(last)


def test_the_fence_is_the_claimed_revision(alice: User, guide: object) -> None:
    run = start_turn(alice, TurnRequest(text="hi"))
    first = claim_run(run.pk, "a")
    assert isinstance(first, RunFence)
    assert claim_run(run.pk, "b") is None  # the lease holds
    first.let_go()
    second = claim_run(run.pk, "b")
    assert second is not None
    assert second.revision > first.revision
    assert not first.renew()
    assert second.renew()
