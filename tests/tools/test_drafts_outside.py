"""Acting outside: at most once and never silent, whatever dies when."""

from typing import Any

import pytest
from django.db.models.functions import Now

from config.base.models import User
from tests.tools.conftest import Make, actor_of, parked, run
from tools.drafts import confirm_draft, recover_lost, settle_lost_calls
from tools.enums import CallStatus, DraftState
from tools.errors import CallInProgress, ToolFailure
from tools.models import ActionDraft, Tool, ToolCall
from tools.testing import EXPLODE, REFUSE, SLOW, Peer, events_of

pytestmark = [pytest.mark.both, pytest.mark.django_db]

KEY = "test:one"


class Killed(BaseException):
    """What kill -9 looks like from within: nothing of ours handles it."""


def die() -> None:
    raise Killed


def died(tool: Tool, user: User, peer: Peer, **values: Any) -> ToolCall:
    """A call whose process died after the text had arrived, before that was written down."""
    peer.on_receipt = die
    with pytest.raises(Killed):
        run(tool, user, idempotency_key=KEY, **values)
    peer.on_receipt = None
    return ToolCall.objects.get()


def make_overdue() -> None:
    ToolCall.objects.update(deadline_at=Now())


def states() -> tuple[str, str]:
    return ToolCall.objects.get().status, ActionDraft.objects.get().state


# --- How it ends ---


@pytest.mark.parametrize("approved", [False, True])
@pytest.mark.parametrize(
    ("word", "ended"),
    [
        ("hello", ("success", "executed")),
        (REFUSE, ("error", "failed")),
        (SLOW, ("outcome_unknown", "outcome_unknown")),
        (EXPLODE, ("outcome_unknown", "outcome_unknown")),
    ],
)
def test_a_failure_is_certain_or_it_is_not(
    make: Make, alice: User, word: str, ended: tuple[str, str], approved: bool
) -> None:
    tool = make("send", needs_approval=approved)
    outcome = run(tool, alice, word, idempotency_key=KEY)
    if outcome.draft is not None:
        confirm_draft(actor_of(alice), outcome.draft.pk, expected_version=1, idempotency_key="k")
    assert states() == ended
    call = ToolCall.objects.get()
    assert (call.deadline_at, call.duration_ms is not None) == (None, True)
    last = "tool.call.succeeded" if word == "hello" else "tool.call.failed"
    assert events_of(call.pk)[-1] == last


@pytest.mark.parametrize("request_sent", [True, False])
def test_a_type_that_knows_whether_it_was_sent_is_believed(
    make: Make, alice: User, peer: Peer, request_sent: bool
) -> None:
    def fail() -> None:
        raise ToolFailure("Gone.", code="connect_failed", request_sent=request_sent)

    peer.on_receipt = fail
    run(make("send"), alice)
    assert states()[1] == ("outcome_unknown" if request_sent else "failed")


def test_an_unknown_outcome_is_said_to_the_model_and_not_repeated(
    make: Make, alice: User, peer: Peer
) -> None:
    tool = make("send")
    for _ in range(2):
        outcome = run(tool, alice, SLOW, idempotency_key=KEY)
        assert outcome.error is not None
        assert outcome.error.code == "outcome_unknown"
    assert len(peer.received) == 1


# --- The process died in between ---


def test_nobody_starts_a_call_again_that_may_still_run(make: Make, alice: User, peer: Peer) -> None:
    tool = make("send")
    died(tool, alice, peer)
    assert states() == ("running", "confirmed")
    with pytest.raises(CallInProgress):
        run(tool, alice, idempotency_key=KEY)
    assert len(peer.received) == 1


@pytest.mark.parametrize("by", ["sweep", "repeated call", "next holder of the run"])
def test_what_is_not_idempotent_becomes_unknown(
    make: Make, alice: User, peer: Peer, by: str
) -> None:
    tool = make("send")
    died(tool, alice, peer)
    recover(tool, alice, by)
    assert states() == ("outcome_unknown", "outcome_unknown")
    assert len(peer.received) == 1
    assert events_of(ToolCall.objects.get().pk)[-1] == "tool.call.failed"


@pytest.mark.parametrize("by", ["sweep", "repeated call", "next holder of the run"])
def test_what_is_idempotent_is_sent_again_under_the_same_key(
    make: Make, alice: User, peer: Peer, by: str
) -> None:
    tool = make("send", config={"idempotent": True})
    died(tool, alice, peer)
    recover(tool, alice, by)
    assert states() == ("success", "executed")
    assert peer.texts == ["hello", "hello"]
    assert len(set(peer.keys)) == 1


def recover(tool: Tool, user: User, by: str) -> None:
    make_overdue()
    if by == "sweep":
        assert settle_lost_calls() == 1
    elif by == "next holder of the run":
        run(tool, user, idempotency_key=KEY, fence=lambda: None)
    else:
        run(tool, user, idempotency_key=KEY)


def test_the_next_holder_of_a_run_waits_for_what_may_still_be_sent(
    make: Make, alice: User, peer: Peer
) -> None:
    """The lease says nothing of another process that sends what was confirmed there."""
    tool = make("send")
    died(tool, alice, peer)
    outcome = run(tool, alice, idempotency_key=KEY, fence=lambda: None)
    assert (outcome.is_open, outcome.draft is not None) == (True, True)
    assert states() == ("running", "confirmed")


def test_what_the_gates_refuse_by_now_is_not_sent_again(
    make: Make, alice: User, peer: Peer
) -> None:
    tool = make("send", config={"idempotent": True})
    died(tool, alice, peer)
    Tool.objects.update(enabled=False)
    make_overdue()
    settle_lost_calls()
    assert states() == ("outcome_unknown", "outcome_unknown")
    assert len(peer.received) == 1


def test_what_was_configured_anew_is_not_sent_again(make: Make, alice: User, peer: Peer) -> None:
    tool = make("send", config={"idempotent": True})
    died(tool, alice, peer)
    Tool.objects.update(needs_approval=True)
    make_overdue()
    settle_lost_calls()
    assert states() == ("outcome_unknown", "outcome_unknown")


def test_a_repetition_that_fails_says_nothing_of_the_first_attempt(
    make: Make, alice: User, peer: Peer
) -> None:
    def fail() -> None:
        raise ToolFailure("No connection.", code="connect_failed", request_sent=False)

    tool = make("send", config={"idempotent": True})
    died(tool, alice, peer)
    peer.on_receipt = fail
    make_overdue()
    settle_lost_calls()
    assert states() == ("outcome_unknown", "outcome_unknown")


def test_one_that_can_not_be_settled_stops_no_other(
    make: Make, alice: User, peer: Peer, caplog: pytest.LogCaptureFixture
) -> None:
    tool = make("send")
    call = died(tool, alice, peer)
    ActionDraft.objects.filter(call=call).delete()  # as nothing of ours does
    ToolCall.objects.filter(pk=call.pk).update(idempotency_key="broken")
    peer.on_receipt = die
    with pytest.raises(Killed):
        run(tool, alice, idempotency_key=KEY)
    make_overdue()
    assert settle_lost_calls() == 1
    assert "could not be settled" in caplog.text


def test_the_sweep_leaves_alone_what_is_not_overdue(make: Make, alice: User, peer: Peer) -> None:
    call = died(make("send"), alice, peer)
    assert settle_lost_calls() == 0
    assert recover_lost(call).state == DraftState.CONFIRMED
    assert states() == ("running", "confirmed")


def test_of_two_sweeps_one_acts(make: Make, alice: User, peer: Peer) -> None:
    call = died(make("send", config={"idempotent": True}), alice, peer)
    make_overdue()
    stale = ToolCall.objects.get()
    assert settle_lost_calls() == 1
    assert settle_lost_calls() == 0
    assert recover_lost(stale).state == DraftState.EXECUTED
    assert len(peer.received) == 2
    assert events_of(call.pk).count("tool.call.succeeded") == 1


def test_one_that_hung_and_was_given_up_changes_nothing_when_it_returns(
    make: Make, alice: User, peer: Peer
) -> None:
    def meanwhile() -> None:
        make_overdue()
        settle_lost_calls()

    peer.on_receipt = meanwhile
    run(make("send"), alice)
    assert states() == ("outcome_unknown", "outcome_unknown")


def test_a_tool_that_is_gone_is_not_sent_again(make: Make, alice: User, peer: Peer) -> None:
    tool = make("send", config={"idempotent": True})
    died(tool, alice, peer)
    tool.delete()
    make_overdue()
    settle_lost_calls()
    assert states() == ("outcome_unknown", "outcome_unknown")
    assert len(peer.received) == 1


def test_a_confirmed_act_that_died_ends_the_same_way(make: Make, alice: User, peer: Peer) -> None:
    draft = parked(make("send", needs_approval=True), alice)
    peer.on_receipt = die
    with pytest.raises(Killed):
        confirm_draft(actor_of(alice), draft.pk, expected_version=1, idempotency_key="k")
    make_overdue()
    settle_lost_calls()
    assert states() == ("outcome_unknown", "outcome_unknown")
    again = confirm_draft(actor_of(alice), draft.pk, expected_version=1, idempotency_key="k")
    assert again.state == DraftState.OUTCOME_UNKNOWN
    assert len(peer.received) == 1


@pytest.mark.parametrize("kind", ["open_echo", "echo"])  # the second is not idempotent
def test_a_read_that_was_confirmed_and_died_is_read_again(
    make: Make, alice: User, peer: Peer, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    draft = parked(make(kind, needs_approval=True), alice)
    with monkeypatch.context() as patched:
        patched.setattr("tools.testing.fail_by", lambda _word: die())
        with pytest.raises(Killed):
            confirm_draft(actor_of(alice), draft.pk, expected_version=1, idempotency_key="k")
    make_overdue()
    settle_lost_calls()
    assert states() == (CallStatus.SUCCESS, DraftState.EXECUTED)
    assert peer.executed == ["hello"]
