"""`call_tool`: what becomes of a call, and what the ledger and the audit say of it."""

from typing import Any

import pytest

from config.base.actor import Origin
from config.base.errors import IdempotencyKeyReused, LeaseLost
from config.base.models import Project, User
from tests.tools.conftest import Make, actor_of, context_for, parked, run
from tools.drafts import confirm_draft, dismiss_draft
from tools.enums import CallStatus, DraftState
from tools.models import ActionDraft, ToolCall, ToolCallContent
from tools.outcomes import CallError
from tools.pipeline import call_tool, refuse_call
from tools.testing import EXPLODE, REFUSE, SLOW, Peer, events_of

pytestmark = [pytest.mark.both, pytest.mark.django_db]

KEY = "test:one"


def only_call() -> ToolCall:
    return ToolCall.objects.get()


# --- A call that is allowed ---


def test_a_read_runs_and_is_written_down(make: Make, alice: User) -> None:
    outcome = run(make("echo"), alice)
    call = only_call()
    assert outcome.result is not None
    assert outcome.result.data == {"text": "hello"}
    assert outcome.result.warnings == ["an echo"]
    assert (call.status, call.effect, call.receipt) == ("success", "none", {"length": 5})
    assert call.duration_ms is not None
    assert call.finished_at is not None
    assert (call.user, call.origin, call.tool_slug) == (alice, "api", outcome.call.tool_slug)
    assert call.decision is not None
    assert call.decision["outcome"] == "allow"
    assert [reason["gate"] for reason in call.decision["reasons"]][:1] == ["enabled"]
    assert (call.content.input, call.content.output) == ({"text": "hello"}, {"text": "hello"})
    assert events_of(call.pk) == ["policy.decided", "tool.call.succeeded"]


def test_a_write_inside_happens_with_its_receipt(make: Make, alice: User, project: Project) -> None:
    outcome = run(make("rename"), alice, "Atlas")
    project.refresh_from_db()
    assert project.name == "Atlas"
    assert outcome.success
    assert only_call().receipt == {"project": str(project.pk)}
    assert events_of(only_call().pk) == ["policy.decided", "tool.call.succeeded"]


def test_an_act_outside_is_an_intent_first_and_then_sent(
    make: Make, alice: User, peer: Peer
) -> None:
    seen: list[tuple[str, str]] = []
    peer.on_receipt = lambda: seen.append((only_call().status, ActionDraft.objects.get().state))
    outcome = run(make("send"), alice)
    assert seen == [("running", "confirmed")]
    assert outcome.success
    assert peer.texts == ["hello"]
    assert peer.keys[0].startswith(str(only_call().pk))
    assert only_call().duration_ms is not None
    assert only_call().status == CallStatus.SUCCESS
    draft = ActionDraft.objects.get()
    assert (draft.state, draft.decided_by) == (DraftState.EXECUTED, None)
    assert events_of(only_call().pk) == ["policy.decided", "tool.call.succeeded"]


def test_a_type_that_keeps_no_payload_leaves_sizes_only(make: Make, alice: User) -> None:
    run(make("secret_echo"), alice)
    content = ToolCallContent.objects.get()
    assert (content.input, content.output) == (None, None)
    assert content.input_bytes > 0
    assert content.output_bytes > 0


@pytest.mark.parametrize("origin", [Origin.SKILL, Origin.JOB])
def test_a_call_of_a_skill_or_a_job_keeps_no_payload(
    make: Make, alice: User, origin: Origin
) -> None:
    run(make("echo"), alice, actor=actor_of(alice, origin))
    assert ToolCallContent.objects.get().input is None


# --- A call that fails ---


@pytest.mark.parametrize("kind", ["echo", "rename"])
@pytest.mark.parametrize(
    ("word", "ended"),
    [
        (EXPLODE, ("error", "tool_error")),
        (REFUSE, ("error", "refused")),
        (SLOW, ("timeout", "timeout")),
    ],
)
def test_a_failure_is_an_outcome_with_a_code(
    make: Make, alice: User, kind: str, word: str, ended: tuple[str, str]
) -> None:
    outcome = run(make(kind), alice, word)
    assert outcome.error is not None
    assert outcome.error.code == ended[1]
    assert "raises" not in outcome.error.message
    call = only_call()
    assert (call.status, call.error_code) == ended
    assert call.duration_ms is not None
    assert events_of(call.pk) == ["policy.decided", "tool.call.failed"]
    assert Project.objects.get(slug="demo").name == "Demo"


def test_an_output_that_does_not_fit_is_a_failure(make: Make, alice: User) -> None:
    outcome = run(make("echo"), alice, "malformed")
    assert outcome.error is not None
    assert outcome.error.code == "tool_error"


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"text": 1},
        {"text": "a", "other": 1},
        {"text": "a\0b"},
        {"text": "\ud800"},
        {"text": "a", "\0": 1},
        {"text": float("nan")},
        {"text": [[[[[[]]]]]]},
    ],
)
def test_it_refuses_arguments_that_do_not_fit(
    make: Make, alice: User, arguments: dict[str, Any]
) -> None:
    outcome = call_tool(make("echo"), arguments, context_for(alice))
    assert outcome.error is not None
    assert outcome.error.code == "invalid_arguments"
    assert only_call().decision is None
    assert events_of(only_call().pk) == ["tool.call.failed"]


def test_it_refuses_arguments_that_nest_without_end(make: Make, alice: User) -> None:
    nested: Any = "a"
    for _ in range(2000):
        nested = [nested]
    outcome = call_tool(make("echo"), {"text": nested}, context_for(alice))
    assert outcome.error is not None
    assert outcome.error.code == "invalid_arguments"


def test_a_type_that_is_gone_is_said(make: Make, alice: User) -> None:
    outcome = run(make("vanished"), alice)
    assert outcome.error is not None
    assert outcome.error.code == "unknown_type"
    assert only_call().tool_type == "fake_vanished"


def test_a_config_that_no_longer_fits_is_said(make: Make, alice: User) -> None:
    outcome = run(make(config={"old": 1}), alice)
    assert outcome.error is not None
    assert outcome.error.code == "invalid_config"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"project": "nowhere", "name": "a"}, "not_found"),
        ({"project": "demo", "name": "unplannable"}, "tool_error"),
    ],
)
def test_a_plan_that_fails_ends_the_call(
    make: Make, alice: User, project: Project, arguments: dict[str, Any], code: str
) -> None:
    outcome = call_tool(make("rename"), arguments, context_for(alice))
    assert outcome.error is not None
    assert outcome.error.code == code
    assert only_call().status == CallStatus.ERROR


def test_a_call_of_a_tool_that_does_not_exist_is_a_row_too(alice: User) -> None:
    error = CallError("unknown_tool", "There is no such tool.")
    for replayed in (False, True):
        outcome = refuse_call("nothing", {}, context_for(alice, idempotency_key=KEY), error)
        assert (outcome.error, outcome.replayed) == (error, replayed)
    call = only_call()
    assert (call.tool, call.tool_slug, call.error_code) == (None, "(unknown)", "unknown_tool")


# --- A call that a gate refuses or parks ---


def test_a_denied_call_says_which_gate_and_why(make: Make, alice: User, peer: Peer) -> None:
    outcome = run(make("send", enabled=False), alice)
    assert outcome.error is not None
    assert outcome.error.code == "denied"
    assert outcome.error.details == {"reason_code": "tool_disabled"}
    call = only_call()
    assert call.status == CallStatus.DENIED
    assert call.decision is not None
    assert (call.decision["gate"], call.decision["outcome"]) == ("enabled", "deny")
    assert events_of(call.pk) == ["policy.decided", "tool.call.denied"]
    assert peer.received == []


@pytest.mark.parametrize("kind", ["echo", "open_echo", "rename", "send"])
def test_a_call_that_needs_a_person_waits_and_does_nothing(
    make: Make, alice: User, project: Project, peer: Peer, kind: str
) -> None:
    tool = make(kind, needs_approval=True)
    outcome = run(tool, alice)
    assert outcome.draft is not None
    assert outcome.is_open
    assert only_call().status == CallStatus.NEEDS_CONFIRMATION
    assert (outcome.draft.owner, outcome.draft.state, outcome.draft.version) == (alice, "draft", 1)
    assert events_of(only_call().pk) == ["policy.decided"]
    project.refresh_from_db()
    assert (peer.received, peer.executed, project.name) == ([], [], "Demo")


def test_what_is_missing_is_asked_for(make: Make, alice: User, project: Project) -> None:
    tool = make("rename", needs_approval=True)
    draft = call_tool(tool, {"project": "demo"}, context_for(alice)).draft
    assert draft is not None
    assert draft.state == DraftState.NEEDS_INPUT
    assert draft.plan["missing_fields"] == ["name"]


def test_a_gate_that_asks_for_consent_makes_a_consent_draft(
    make: Make, alice: User, settings: Any
) -> None:
    settings.TOOL_GATES = ["tools.testing.ConsentGate", "tools.gates.ApprovalGate"]
    draft = parked(make("echo", needs_approval=True), alice)
    assert draft.kind == "consent"
    assert only_call().status == CallStatus.NEEDS_CONSENT


# --- The same call again ---


@pytest.mark.parametrize("kind", ["rename", "send"])
def test_a_repeated_effect_returns_its_receipt(
    make: Make, alice: User, project: Project, peer: Peer, kind: str
) -> None:
    tool = make(kind)
    first = run(tool, alice, idempotency_key=KEY)
    again = run(tool, alice, idempotency_key=KEY)
    assert again.success
    assert again.replayed
    assert again.result is not None
    assert first.result is not None
    assert again.result.receipt == first.call.receipt
    assert len(peer.executed) + len(peer.received) == 1


def test_a_repeated_read_runs_again_on_the_same_row(make: Make, alice: User, peer: Peer) -> None:
    tool = make("echo")
    for _ in range(3):
        assert run(tool, alice, idempotency_key=KEY).success
    assert peer.executed == ["hello"] * 3
    assert only_call().status == CallStatus.SUCCESS


@pytest.mark.parametrize("word", [EXPLODE, REFUSE, SLOW])
def test_a_repeated_failure_is_told_again(make: Make, alice: User, word: str) -> None:
    tool = make("echo")
    first = run(tool, alice, word, idempotency_key=KEY)
    again = run(tool, alice, word, idempotency_key=KEY)
    assert again.replayed
    assert again.error is not None
    assert first.error is not None
    assert again.error.code == first.error.code
    assert events_of(only_call().pk).count("tool.call.failed") == 1


def test_a_repeated_refusal_is_told_again(make: Make, alice: User) -> None:
    tool = make("echo", enabled=False)
    run(tool, alice, idempotency_key=KEY)
    again = run(tool, alice, idempotency_key=KEY)
    assert again.error is not None
    assert again.error.code == "denied"


def test_a_repeated_call_finds_the_draft_that_waits(make: Make, alice: User) -> None:
    tool = make("send", needs_approval=True)
    first = parked(tool, alice, idempotency_key=KEY)
    again = parked(tool, alice, idempotency_key=KEY)
    assert again == first
    assert ActionDraft.objects.count() == 1


def test_a_repeated_call_finds_what_the_person_decided(make: Make, alice: User, peer: Peer) -> None:
    tool = make("send", needs_approval=True)
    draft = parked(tool, alice, idempotency_key=KEY)
    confirm_draft(actor_of(alice), draft.pk, expected_version=1, idempotency_key="k")
    again = run(tool, alice, idempotency_key=KEY)
    assert again.result is not None
    assert again.result.data == {"text": "hello"}
    assert peer.texts == ["hello"]


def test_a_repeated_call_finds_that_the_person_refused(make: Make, alice: User) -> None:
    tool = make("send", needs_approval=True)
    draft = parked(tool, alice, idempotency_key=KEY)
    dismiss_draft(actor_of(alice), draft.pk, reason="not today")
    again = run(tool, alice, idempotency_key=KEY)
    assert again.error is not None
    assert again.error.code == "dismissed"
    assert "not today" in again.error.message


def test_the_same_key_for_another_input_is_refused(make: Make, alice: User) -> None:
    tool = make("echo")
    run(tool, alice, "one", idempotency_key=KEY)
    with pytest.raises(IdempotencyKeyReused):
        run(tool, alice, "two", idempotency_key=KEY)
    with pytest.raises(IdempotencyKeyReused):
        run(make("echo"), alice, "one", idempotency_key=KEY)


def test_somebody_elses_key_is_refused(make: Make, alice: User, bob: User) -> None:
    tool = make("echo")
    run(tool, alice, idempotency_key=KEY)
    with pytest.raises(IdempotencyKeyReused):
        run(tool, bob, idempotency_key=KEY)


def test_a_call_that_lost_its_run_does_nothing(
    make: Make, alice: User, project: Project, peer: Peer
) -> None:
    def lost() -> None:
        raise LeaseLost

    for kind in ("echo", "rename", "send"):
        with pytest.raises(LeaseLost):
            run(make(kind), alice, fence=lost)
    project.refresh_from_db()
    assert (project.name, peer.received, ToolCall.objects.count()) == ("Demo", [], 0)


@pytest.mark.parametrize("kind", ["rename", "send", "echo"])
def test_a_run_that_is_lost_in_between_has_no_effect(
    make: Make, alice: User, project: Project, peer: Peer, kind: str
) -> None:
    asked: list[int] = []

    def lost_at_the_second_time() -> None:
        asked.append(1)
        if len(asked) == 2:
            raise LeaseLost

    with pytest.raises(LeaseLost):
        run(make(kind), alice, fence=lost_at_the_second_time)
    project.refresh_from_db()
    assert (project.name, peer.received) == ("Demo", [])
    assert only_call().status == CallStatus.OPEN
