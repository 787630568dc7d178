"""What else a person may do with a draft: every act in every state, and what it leaves behind."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.db.models.functions import Now

from config.base.errors import InvalidInput, NotFound
from config.base.models import Project, User
from tests.tools.conftest import Make, actor_of, context_for, parked, run
from tools.drafts import (
    close_calls_of_run,
    confirm_draft,
    dismiss_draft,
    expire_due_drafts,
    resolve_draft,
    respond_to_draft,
    revise_draft,
)
from tools.drafts.decide import MAX_WORDS
from tools.enums import CallStatus, DismissReason, DraftState
from tools.errors import AlreadyDecided, DraftExpired, StaleVersion
from tools.models import ActionDraft, Tool, ToolCall
from tools.pipeline import call_tool
from tools.selectors import count_waiting_drafts, list_drafts
from tools.testing import REFUSE, SLOW, Peer, events_of

pytestmark = [pytest.mark.both, pytest.mark.django_db]

ACTS: dict[str, Callable[[ActionDraft, User], ActionDraft]] = {
    "confirm": lambda draft, user: confirm_draft(
        actor_of(user), draft.pk, expected_version=draft.version, idempotency_key="k2"
    ),
    "dismiss": lambda draft, user: dismiss_draft(actor_of(user), draft.pk, reason="no"),
    "respond": lambda draft, user: respond_to_draft(actor_of(user), draft.pk, message="do this"),
    "revise": lambda draft, user: revise_draft(
        actor_of(user), draft.pk, expected_version=draft.version, arguments={"text": "other"}
    ),
    "done": lambda draft, user: resolve_draft(
        actor_of(user), draft.pk, expected_version=draft.version, done=True
    ),
    "retry": lambda draft, user: resolve_draft(
        actor_of(user), draft.pk, expected_version=draft.version, done=False
    ),
}
# State (and reason) of the draft: act to the state it leads to; all others are refused.
LEADS_TO: dict[str, dict[str, str]] = {
    "draft": {
        "confirm": "executed",
        "dismiss": "dismissed",
        "respond": "dismissed",
        "revise": "draft",
    },
    "confirmed": {},
    "executed": {},
    "failed": {"revise": "draft"},
    "outcome_unknown": {"done": "executed", "retry": "draft"},
    "refused": {"dismiss": "dismissed"},
    "answered": {"respond": "dismissed"},
    "expired": {},
    "run_cancelled": {},
    "denied": {},
    "replaced": {},
    "taken_back": {},
    "skill_gone": {},
}


@pytest.fixture
def send(make: Make) -> Tool:
    return make("send", slug="send", needs_approval=True)


def in_state(name: str, tool: Tool, user: User) -> ActionDraft:
    """A draft brought there the way it happens; `confirmed` is one that is being sent."""
    words = {"failed": REFUSE, "outcome_unknown": SLOW}
    draft = parked(tool, user, words.get(name, "hello"))
    if name in {"executed", "failed", "outcome_unknown"}:
        return confirm_draft(actor_of(user), draft.pk, expected_version=1, idempotency_key="k1")
    if name == "confirmed":
        ActionDraft.objects.update(state=DraftState.CONFIRMED, confirm_key="k1")
    elif name in DismissReason:
        ActionDraft.objects.update(state=DraftState.DISMISSED, reason=name)
        ToolCall.objects.update(status=CallStatus.DISMISSED)
    draft.refresh_from_db()
    return draft


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("state", LEADS_TO)
def test_each_act_in_each_state(send: Tool, alice: User, peer: Peer, state: str, act: str) -> None:
    draft = in_state(state, send, alice)
    before = (draft.state, draft.version, len(peer.received), len(events_of(draft.pk)))
    expected = LEADS_TO[state].get(act)
    if expected is not None:
        assert ACTS[act](draft, alice).state == expected
        return
    expired = state == "expired" and act not in {"done", "retry"}
    with pytest.raises(DraftExpired if expired else AlreadyDecided):
        ACTS[act](draft, alice)
    draft.refresh_from_db()
    assert before == (draft.state, draft.version, len(peer.received), len(events_of(draft.pk)))


@pytest.mark.parametrize("act", ACTS)
def test_nobody_but_the_owner_acts(send: Tool, alice: User, operator: User, act: str) -> None:
    draft = parked(send, alice)
    with pytest.raises(NotFound):
        ACTS[act](draft, operator)
    with pytest.raises(NotFound):
        ACTS[act](ActionDraft(pk=uuid.uuid4()), alice)
    draft.refresh_from_db()
    assert draft.state == DraftState.DRAFT


@pytest.mark.parametrize(
    ("act", "audited"),
    [
        ("confirm", "draft.confirmed"),
        ("dismiss", "draft.dismissed"),
        ("respond", "draft.dismissed"),
        ("revise", "draft.revised"),
    ],
)
def test_each_act_is_audited_once(send: Tool, alice: User, act: str, audited: str) -> None:
    draft = parked(send, alice)
    ACTS[act](draft, alice)
    assert events_of(draft.pk) == [audited]


@pytest.mark.parametrize("act", ["done", "retry"])
def test_resolving_is_audited(send: Tool, alice: User, act: str) -> None:
    draft = in_state("outcome_unknown", send, alice)
    ACTS[act](draft, alice)
    assert events_of(draft.pk) == ["draft.confirmed", "draft.resolved"]


# --- Dismissing and answering ---


@pytest.mark.parametrize(
    ("act", "reason", "words"),
    [("dismiss", "refused", "no"), ("respond", "answered", "do this")],
)
def test_the_call_ends_with_it_and_the_model_is_told(
    send: Tool, alice: User, act: str, reason: str, words: str
) -> None:
    draft = parked(send, alice, idempotency_key="test:one")
    done = ACTS[act](draft, alice)
    assert (done.reason, done.reason_text, done.decided_by) == (reason, words, alice)
    assert done.decided_at is not None
    assert ToolCall.objects.get().status == CallStatus.DISMISSED
    error = run(send, alice, idempotency_key="test:one").for_model()["error"]
    assert error["code"] == ("dismissed" if act == "dismiss" else "answered")
    assert words in error["message"]


def test_dismissing_twice_is_dismissing_once(send: Tool, alice: User) -> None:
    draft = parked(send, alice)
    for _ in range(2):
        dismiss_draft(actor_of(alice), draft.pk)
    assert events_of(draft.pk) == ["draft.dismissed"]


@pytest.mark.parametrize("words", ["", "  \n", "a" * (MAX_WORDS + 1)])
def test_an_answer_has_words_but_not_without_end(send: Tool, alice: User, words: str) -> None:
    draft = parked(send, alice)
    with pytest.raises(InvalidInput):
        respond_to_draft(actor_of(alice), draft.pk, message=words)
    draft.refresh_from_db()
    assert draft.state == DraftState.DRAFT


def test_words_that_no_database_holds_are_kept_as_well_as_can_be(send: Tool, alice: User) -> None:
    draft = parked(send, alice)
    done = respond_to_draft(actor_of(alice), draft.pk, message="a\0b")
    done.refresh_from_db()
    assert done.reason_text == "a\N{REPLACEMENT CHARACTER}b"


def test_a_cancelled_run_leaves_nothing_waiting(send: Tool, alice: User) -> None:
    run_id = uuid.uuid4()
    ours = [parked(send, alice, actor=actor_of(alice, run_id=run_id)) for _ in range(2)]
    other = parked(send, alice)
    for _ in range(2):  # twice is once
        close_calls_of_run(actor_of(alice), run_id)
    for draft in ours:
        draft.refresh_from_db()
        assert (draft.reason, draft.call.status) == ("run_cancelled", CallStatus.CANCELLED)
        assert events_of(draft.pk) == ["draft.dismissed"]
    other.refresh_from_db()
    assert other.is_waiting


# --- Expiring ---


def test_the_sweep_expires_what_is_due_and_nothing_else(send: Tool, alice: User) -> None:
    due, other, decided = (parked(send, alice) for _ in range(3))
    confirm_draft(actor_of(alice), decided.pk, expected_version=1, idempotency_key="k")
    ActionDraft.objects.exclude(pk=other.pk).update(expires_at=Now())
    assert expire_due_drafts() == 1
    assert expire_due_drafts() == 0
    due.refresh_from_db()
    assert (due.state, due.reason) == ("dismissed", "expired")
    assert ToolCall.objects.get(pk=due.call_id).status == CallStatus.EXPIRED
    assert events_of(due.pk) == ["draft.dismissed"]


@pytest.mark.parametrize("act", ["dismiss", "respond", "revise"])
def test_acting_on_what_is_due_expires_it(send: Tool, alice: User, act: str) -> None:
    draft = parked(send, alice)
    ActionDraft.objects.update(expires_at=Now())
    for _ in range(2):
        with pytest.raises(DraftExpired):
            ACTS[act](draft, alice)
    assert ToolCall.objects.get().status == CallStatus.EXPIRED
    assert events_of(draft.pk) == ["draft.dismissed"]


@pytest.mark.parametrize("unattended", [False, True])
def test_drafts_live_as_long_as_the_settings_say(
    make: Make, project: Project, alice: User, settings: Any, unattended: bool
) -> None:
    draft = parked(make("rename", needs_approval=True), alice, unattended=unattended)
    lifetime = (draft.expires_at - draft.created_at).total_seconds()
    expected = (
        settings.UNATTENDED_DRAFT_LIFETIME_SECONDS
        if unattended
        else settings.DRAFT_LIFETIME_SECONDS
    )
    assert lifetime == pytest.approx(expected, abs=5)


# --- Filling in and revising ---


def test_filling_in_what_is_missing_makes_it_ready(
    make: Make, alice: User, project: Project
) -> None:
    tool = make("rename", needs_approval=True)
    draft = call_tool(tool, {"project": "demo"}, context_for(alice)).draft
    assert draft is not None
    filled = revise_draft(
        actor_of(alice), draft.pk, expected_version=1, arguments={"name": "Atlas"}
    )
    assert (filled.state, filled.version) == (DraftState.DRAFT, 2)
    assert filled.plan["preview"]["text"] == "Demo → Atlas"
    assert filled.proposed_arguments == {"project": "demo"}
    assert filled.versions.get().version == 1
    confirm_draft(actor_of(alice), draft.pk, expected_version=2, idempotency_key="k")
    project.refresh_from_db()
    assert project.name == "Atlas"


def test_emptying_a_field_needs_input_again(make: Make, alice: User, project: Project) -> None:
    draft = parked(make("rename", needs_approval=True), alice)
    emptied = revise_draft(actor_of(alice), draft.pk, expected_version=1, arguments={"name": None})
    assert emptied.state == DraftState.NEEDS_INPUT


@pytest.mark.parametrize(
    ("arguments", "code"),
    [({"to": "bob"}, "not_editable"), ({"text": 1}, "invalid_arguments")],
)
def test_a_revision_that_does_not_fit_changes_nothing(
    send: Tool, alice: User, arguments: dict[str, Any], code: str
) -> None:
    draft = parked(send, alice)
    with pytest.raises(InvalidInput) as refused:
        revise_draft(actor_of(alice), draft.pk, expected_version=1, arguments=arguments)
    assert refused.value.code == code
    draft.refresh_from_db()
    assert (draft.version, draft.edited_arguments) == (1, None)


def test_another_version_than_the_present_one_is_stale(send: Tool, alice: User) -> None:
    draft = parked(send, alice)
    with pytest.raises(StaleVersion):
        revise_draft(actor_of(alice), draft.pk, expected_version=2, arguments={})
    unknown = in_state("outcome_unknown", send, alice)
    with pytest.raises(StaleVersion):
        resolve_draft(actor_of(alice), unknown.pk, expected_version=2, done=True)


# --- Resolving ---


def test_what_a_person_says_was_done_has_a_receipt_that_says_so(send: Tool, alice: User) -> None:
    draft = in_state("outcome_unknown", send, alice)
    done = ACTS["done"](draft, alice)
    assert done.receipt == {"resolved_by_person": True}
    call = ToolCall.objects.get()
    assert (call.status, call.receipt) == ("success", done.receipt)


def test_what_a_person_wants_tried_again_is_sent_after_another_confirmation(
    send: Tool, alice: User, peer: Peer
) -> None:
    draft = in_state("outcome_unknown", send, alice)
    again = ACTS["retry"](draft, alice)
    assert (again.version, len(peer.received)) == (2, 1)
    revised = revise_draft(
        actor_of(alice), draft.pk, expected_version=2, arguments={"text": "hello"}
    )
    done = confirm_draft(
        actor_of(alice), draft.pk, expected_version=revised.version, idempotency_key="k3"
    )
    assert done.state == DraftState.EXECUTED
    assert peer.texts == [SLOW, "hello"]
    assert peer.keys[0] != peer.keys[1]


# --- The inbox ---


def test_everybody_sees_their_own_drafts_newest_first(
    send: Tool, alice: User, bob: User, operator: User
) -> None:
    first, second = (parked(send, alice) for _ in range(2))
    parked(send, bob)
    assert list(list_drafts(alice)) == [second, first]
    assert list(list_drafts(operator)) == []


@pytest.mark.parametrize(
    ("state", "counts"), [(name, name in {"draft", "outcome_unknown"}) for name in LEADS_TO]
)
def test_the_badge_counts_what_needs_the_person(
    send: Tool, alice: User, bob: User, state: str, counts: bool
) -> None:
    in_state(state, send, alice)
    assert count_waiting_drafts(alice) == int(counts)
    assert count_waiting_drafts(bob) == 0
