"""Standing approvals: what a person has to say to be asked no more, and how far that goes."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from config.base.actor import Origin
from config.base.errors import IdempotencyKeyReused, InvalidInput, NotFound, NotPermitted
from config.base.ids import uuid7
from config.base.models import Project, User
from skills.models import AuditEvent
from tests.threads import both_at_once
from tests.tools.conftest import Make, actor_of, context_for, run
from tests.tools.standing import (
    AGENT,
    ELSEWHERE,
    OTHER_AGENT,
    agent_of,
    asked,
    call,
    confirm,
    give,
)
from tools.approvals.offer import is_offered
from tools.approvals.services import revoke_approval, revoke_as_operator
from tools.approvals.state import ApprovalState, state_of
from tools.approvals.terms import MAX_HOURS, MAX_USES, ApprovalScope, Remember
from tools.drafts import recover_lost
from tools.enums import CallStatus, DraftState
from tools.gates import PreparedCall, cover, standing
from tools.models import ActionDraft, StandingApproval, Tool, ToolCall
from tools.pipeline import call_tool
from tools.preview import decide_only
from tools.schemas import CallContext
from tools.testing import SLOW, FakeDirectory, Peer, arguments_for, events_of

pytestmark = [pytest.mark.django_db, pytest.mark.both]

HERE_FOR_A_DAY = Remember(scope=ApprovalScope.CONVERSATION)


@pytest.fixture(autouse=True)
def agents(settings: Any, monkeypatch: pytest.MonkeyPatch) -> dict[uuid.UUID, dict[str, bool]]:
    """Both have every tool of these tests; `True` would add approval."""
    settings.AGENT_DIRECTORY = "tools.testing.FakeDirectory"
    sets = {agent: dict.fromkeys(("it", "other"), False) for agent in (AGENT, OTHER_AGENT)}
    monkeypatch.setattr(FakeDirectory, "tool_sets", sets)
    return sets


@pytest.fixture
def tool(make: Make, project: Project) -> Tool:
    return make("rename", slug="it", needs_approval=True)


def approval_reason(decision: Any) -> Any:
    (reason,) = [one for one in decision["reasons"] if one["gate"] == "approval"]
    return reason


def name() -> str:
    return Project.objects.get(slug="demo").name


def expire(approval: StandingApproval) -> None:
    StandingApproval.objects.filter(pk=approval.pk).update(expires_at=Now())


# --- It is given, and counts ---


def test_what_it_covers_is_done_and_says_by_which(tool: Tool, alice: User) -> None:
    approval = give(tool, alice, uses=3)
    outcome = call(tool, alice, "Borealis")
    assert (outcome.success, name()) == (True, "Borealis")
    reason = approval_reason(ToolCall.objects.get(pk=outcome.call.pk).decision)
    assert (reason["outcome"], reason["reason_code"]) == ("allow", "standing_approval")
    leave = reason["leave"]
    assert (leave["kind"], leave["id"]) == ("standing_approval", str(approval.pk))
    assert leave["uses_left"] == 2
    assert leave["expires_at"].endswith("Z")
    assert str(approval.pk)[-8:] in reason["reason"]
    assert "2 uses left" in reason["reason"]


def test_it_stands_in_the_ledger_and_in_the_audit(tool: Tool, alice: User) -> None:
    approval = give(tool, alice, uses=3)
    outcome = call(tool, alice)
    assert ToolCall.objects.get(standing_approval=approval).pk == outcome.call.pk
    assert events_of(approval.pk) == ["approval.given", "approval.used"]
    given, used = AuditEvent.objects.filter(target_id=str(approval.pk)).order_by("pk")
    assert given.metadata["scope"] == "conversation"
    assert (given.metadata["uses"], given.metadata["hours"]) == (3, 24)
    assert (used.metadata["tool_call"], used.metadata["uses_left"]) == (str(outcome.call.pk), 2)
    decided = AuditEvent.objects.filter(action="policy.decided", target_id=str(outcome.call.pk))
    event = decided.get()
    assert (event.outcome, event.reason_code) == ("allowed", "standing_approval")
    assert event.metadata["gate"] == "approval"
    assert event.metadata["leaves"] == [f"standing_approval:{approval.pk}"]


def test_it_is_given_only_with_the_confirmation_that_is_asked(tool: Tool, alice: User) -> None:
    confirm(asked(tool, alice), alice)
    assert not StandingApproval.objects.exists()
    assert call(tool, alice).draft is not None


def test_confirming_itself_uses_nothing_and_a_repeat_gives_no_second(
    tool: Tool, alice: User
) -> None:
    draft = asked(tool, alice)
    for _ in range(2):
        confirm(draft, alice, HERE_FOR_A_DAY, key="same")
    approval = StandingApproval.objects.get()
    assert (approval.uses, approval.uses_left, approval.draft_id) == (0, None, draft.pk)
    with pytest.raises(IdempotencyKeyReused):
        confirm(draft, alice, key="same")


def test_without_a_number_it_counts_as_often_as_needed(tool: Tool, alice: User) -> None:
    approval = give(tool, alice)
    assert all(call(tool, alice).success for _ in range(3))
    approval.refresh_from_db()
    assert (approval.uses, approval.uses_left) == (3, None)
    assert approval.last_used_at is not None


def test_with_a_number_it_asks_again_after_the_last(tool: Tool, alice: User) -> None:
    give(tool, alice, uses=2)
    assert [call(tool, alice).success for _ in range(3)] == [True, True, False]
    assert ActionDraft.objects.filter(state=DraftState.DRAFT).count() == 1


def test_two_are_used_one_after_the_other(tool: Tool, alice: User) -> None:
    first = give(tool, alice, uses=1)
    call(tool, alice)
    second = give(tool, alice, uses=1)
    assert call(tool, alice).success
    used = ToolCall.objects.exclude(standing_approval=None).order_by("created_at")
    assert [one.standing_approval_id for one in used] == [first.pk, second.pk]


# --- Counted once ---


def test_a_repeat_with_the_same_key_is_the_same_use(tool: Tool, alice: User) -> None:
    approval = give(tool, alice, uses=2)
    for _ in range(3):
        assert call(tool, alice, idempotency_key="same").success
    approval.refresh_from_db()
    assert (approval.uses, approval.uses_left) == (1, 1)
    assert events_of(approval.pk).count("approval.used") == 1


def test_a_read_that_is_made_again_is_the_same_use_also_of_the_last(
    make: Make, alice: User, peer: Peer
) -> None:
    tool = make("echo", slug="it", needs_approval=True)
    approval = give(tool, alice, uses=1)
    for _ in range(2):
        assert call(tool, alice, "Twice", idempotency_key="same").success
    assert peer.executed.count("Twice") == 2
    approval.refresh_from_db()
    assert (approval.uses, approval.uses_left) == (1, 0)


def test_a_read_that_is_made_again_after_the_end_is_asked_for(make: Make, alice: User) -> None:
    tool = make("echo", slug="it", needs_approval=True)
    approval = give(tool, alice)
    assert call(tool, alice, idempotency_key="same").success
    expire(approval)
    assert call(tool, alice, idempotency_key="same").draft is not None


def test_a_read_that_is_made_again_goes_on_with_another_that_is_in_force(
    make: Make, alice: User
) -> None:
    tool = make("echo", slug="it", needs_approval=True)
    first, second = give(tool, alice), None
    assert call(tool, alice, idempotency_key="same").success
    expire(first)
    second = give(tool, alice, uses=1)
    assert call(tool, alice, idempotency_key="same").success
    assert ToolCall.objects.get(idempotency_key="same").standing_approval_id == second.pk


@pytest.mark.django_db(transaction=True)
def test_racing_calls_never_share_the_last_use(tool: Tool, alice: User) -> None:
    approval = give(tool, alice, uses=3)
    outcomes = both_at_once(*[lambda: call(tool, alice) for _ in range(6)])
    assert sum(outcome.success for outcome in outcomes) == 3
    assert sum(outcome.draft is not None for outcome in outcomes) == 3
    approval.refresh_from_db()
    assert (approval.uses, approval.uses_left) == (3, 0)
    assert ToolCall.objects.filter(standing_approval=approval).count() == 3


@pytest.mark.django_db(transaction=True)
def test_racing_twins_use_it_once_and_are_both_told_the_same(
    tool: Tool, alice: User, peer: Peer
) -> None:
    approval = give(tool, alice, uses=1)
    outcomes = both_at_once(
        *[lambda: call(tool, alice, "Once", idempotency_key="same") for _ in range(4)]
    )
    assert all(outcome.success for outcome in outcomes)
    assert peer.executed.count("Once") == 1
    approval.refresh_from_db()
    assert (approval.uses, approval.uses_left) == (1, 0)
    assert events_of(approval.pk).count("approval.used") == 1


def test_a_use_that_a_twin_has_just_taken_is_this_calls_too(
    tool: Tool, alice: User, peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the reading of the call and the question which approvals there are."""
    approval = give(tool, alice, uses=1)
    sooner = StandingApproval.objects.get(pk=approval.pk)
    sooner.pk, sooner.draft_id = uuid7(), None
    sooner.expires_at -= timedelta(minutes=1)
    sooner.save(force_insert=True)

    def taken_by_a_twin(prepared: PreparedCall, context: CallContext) -> bool:
        StandingApproval.objects.filter(pk=approval.pk).update(uses=1, uses_left=0)
        ToolCall.objects.update(standing_approval=approval)
        return cover.may_be_covered(prepared, context)

    monkeypatch.setattr(standing, "may_be_covered", taken_by_a_twin)
    assert call(tool, alice, "Once").success
    assert peer.executed.count("Once") == 1
    sooner.refresh_from_db()
    assert (sooner.uses, sooner.uses_left) == (0, 1)


def test_a_decision_alone_uses_nothing_and_tells_what_would_be(tool: Tool, alice: User) -> None:
    approval = give(tool, alice, uses=1)
    context = context_for(alice, actor=agent_of(alice))
    decision = decide_only(tool, arguments_for(tool.type), context)
    assert approval_reason(decision.as_json())["reason_code"] == "standing_approval"
    approval.refresh_from_db()
    assert (approval.uses, approval.uses_left) == (0, 1)


def test_a_call_that_another_gate_refuses_uses_nothing(tool: Tool, alice: User) -> None:
    approval = give(tool, alice, uses=1)
    assert call(tool, alice, tool_set={}).error
    approval.refresh_from_db()
    assert approval.uses_left == 1


def test_an_act_outside_that_was_lost_is_sent_again_under_the_same_use(
    make: Make, alice: User, peer: Peer
) -> None:
    tool = make("send", slug="it", needs_approval=True, config={"idempotent": True})
    approval = give(tool, alice, uses=1)
    outcome = call(tool, alice, SLOW)
    ToolCall.objects.filter(pk=outcome.call.pk).update(status=CallStatus.RUNNING, deadline_at=Now())
    ActionDraft.objects.filter(call=outcome.call).update(state=DraftState.CONFIRMED)
    recover_lost(ToolCall.objects.get(pk=outcome.call.pk))
    assert peer.texts.count(SLOW) == 2
    approval.refresh_from_db()
    assert (approval.uses, approval.uses_left) == (1, 0)


def test_an_act_outside_that_was_lost_is_not_sent_again_once_it_is_revoked(
    make: Make, alice: User, peer: Peer
) -> None:
    tool = make("send", slug="it", needs_approval=True, config={"idempotent": True})
    approval = give(tool, alice)
    outcome = call(tool, alice, SLOW)
    ToolCall.objects.filter(pk=outcome.call.pk).update(status=CallStatus.RUNNING, deadline_at=Now())
    ActionDraft.objects.filter(call=outcome.call).update(state=DraftState.CONFIRMED)
    revoke_approval(actor_of(alice), approval.pk)
    recover_lost(ToolCall.objects.get(pk=outcome.call.pk))
    assert peer.texts.count(SLOW) == 1
    assert ActionDraft.objects.get(call=outcome.call).state == DraftState.OUTCOME_UNKNOWN


# --- How far it goes ---


@pytest.mark.parametrize(
    ("scope", "agent", "conversation", "covered"),
    [
        ("conversation", AGENT, "here", True),
        ("conversation", AGENT, "elsewhere", False),
        ("conversation", OTHER_AGENT, "here", False),
        ("agent", AGENT, "here", True),
        ("agent", AGENT, "elsewhere", True),
        ("agent", OTHER_AGENT, "here", False),
        ("any", OTHER_AGENT, "elsewhere", True),
    ],
)
def test_it_reaches_as_far_as_was_said(
    tool: Tool, alice: User, scope: str, agent: uuid.UUID, conversation: str, covered: bool
) -> None:
    give(tool, alice, scope=ApprovalScope(scope))
    where = {"conversation": ELSEWHERE} if conversation == "elsewhere" else {}
    assert call(tool, alice, actor=agent_of(alice, agent, **where)).success == covered


def test_it_is_its_owners_alone(tool: Tool, alice: User, bob: User) -> None:
    give(tool, alice, scope=ApprovalScope.ANY)
    assert call(tool, bob).draft is not None


def test_it_is_for_agents_and_not_for_a_persons_own_call(tool: Tool, alice: User) -> None:
    give(tool, alice, scope=ApprovalScope.ANY)
    assert run(tool, alice).draft is not None


def test_it_is_for_one_tool(tool: Tool, make: Make, alice: User) -> None:
    give(tool, alice, scope=ApprovalScope.ANY)
    assert call(make("rename", slug="other", needs_approval=True), alice).draft is not None


def test_an_end_ends_it(tool: Tool, alice: User) -> None:
    approval = give(tool, alice)
    expire(approval)
    assert call(tool, alice).draft is not None


@pytest.mark.parametrize(
    "change",
    [
        {"config": {"risk": 1}},
        {"config": {"idempotent": True}},
        {"slug": "renamed"},
    ],
)
def test_another_setting_of_the_tool_makes_it_void_and_says_so(
    tool: Tool, alice: User, change: dict[str, Any]
) -> None:
    give(tool, alice)
    Tool.objects.filter(pk=tool.pk).update(**change)
    outcome = call(Tool.objects.get(pk=tool.pk), alice)
    reason = approval_reason(outcome.call.decision)
    assert (reason["outcome"], reason["reason_code"]) == (
        "needs_confirmation",
        "standing_approval_void",
    )
    assert "settings have changed" in reason["reason"]
    assert "The operator set this tool" in reason["reason"]


def test_a_reason_that_came_later_is_asked_about(
    tool: Tool, alice: User, agents: dict[uuid.UUID, dict[str, bool]]
) -> None:
    give(tool, alice)
    assert call(tool, alice, tool_set={"it": False}).success
    assert call(tool, alice, tool_set={"it": True}).draft is not None


def test_a_reason_less_is_no_reason_to_ask(tool: Tool, alice: User) -> None:
    FakeDirectory.tool_sets[AGENT]["it"] = True
    give(tool, alice, context={"tool_set": {"it": True}})
    assert call(tool, alice, tool_set={"it": False}).success


def test_what_lacks_a_value_is_asked_for_it(tool: Tool, alice: User, project: Project) -> None:
    give(tool, alice)
    context = context_for(alice, actor=agent_of(alice))
    outcome = call_tool(tool, {"project": "demo"}, context)
    assert outcome.draft is not None
    assert outcome.draft.state == DraftState.NEEDS_INPUT


# --- What it never answers ---


def test_a_call_of_higher_risk_is_asked_for(tool: Tool, alice: User) -> None:
    give(tool, alice)
    assert call(tool, alice, "risky").draft is not None


@pytest.mark.parametrize("values", [{"provenance": frozenset({"untrusted"})}, {"unattended": True}])
def test_a_gate_that_asks_too_is_not_answered(
    make: Make, alice: User, values: dict[str, Any]
) -> None:
    tool = make("send", slug="it", needs_approval=True)
    approval = give(tool, alice, uses=5)
    assert call(tool, alice).success
    outcome = call(tool, alice, **values)
    assert not outcome.success
    approval.refresh_from_db()
    assert approval.uses_left == 4


def test_nothing_is_covered_while_nobody_is_there(make: Make, alice: User) -> None:
    tool = make("echo", slug="it", needs_approval=True)
    give(tool, alice, scope=ApprovalScope.ANY)
    assert call(tool, alice).success
    assert call(tool, alice, unattended=True).draft is not None


def test_a_consent_is_never_given_with_it(tool: Tool, alice: User, settings: Any) -> None:
    approval = give(tool, alice)
    settings.TOOL_GATES = [*settings.TOOL_GATES, "tools.testing.ConsentGate"]
    outcome = call(tool, alice)
    assert outcome.call.status == CallStatus.NEEDS_CONSENT
    approval.refresh_from_db()
    assert approval.uses == 0


@pytest.mark.parametrize(
    ("kind", "values", "context"),
    [
        ("rename", {"config": {"risk": 3}}, {}),
        ("send", {"config": {"risk": 3}}, {}),
        ("destroy", {}, {}),
        ("rename", {}, {"unattended": True}),
        ("send", {}, {"provenance": frozenset({"untrusted"})}),
        ("rename", {}, {"actor": "person"}),
    ],
)
def test_it_can_not_be_given_where_it_would_never_count(
    make: Make,
    alice: User,
    project: Project,
    kind: str,
    values: dict[str, Any],
    context: dict[str, Any],
) -> None:
    tool = make(kind, slug="it", needs_approval=True, **values)
    if context.get("actor"):
        context = {"actor": actor_of(alice, Origin.API)}
    draft = asked(tool, alice, **context)
    assert not is_offered(draft)
    with pytest.raises(InvalidInput) as refused:
        confirm(draft, alice, HERE_FOR_A_DAY)
    assert refused.value.code == "not_rememberable"
    assert ActionDraft.objects.get(pk=draft.pk).state == DraftState.DRAFT
    assert not StandingApproval.objects.exists()
    assert name() == "Demo"


def test_it_is_offered_where_it_counts_and_until_that_is_decided(tool: Tool, alice: User) -> None:
    draft = asked(tool, alice)
    assert is_offered(draft)
    assert not is_offered(confirm(draft, alice))


def test_no_conversation_is_no_place_to_remember(tool: Tool, alice: User) -> None:
    draft = asked(tool, alice, actor=agent_of(alice, conversation=None))
    with pytest.raises(InvalidInput):
        confirm(draft, alice, HERE_FOR_A_DAY)
    confirm(draft, alice, Remember(scope=ApprovalScope.AGENT))


def test_what_changed_since_it_was_shown_gives_nothing(tool: Tool, alice: User) -> None:
    draft = asked(tool, alice)
    Tool.objects.filter(pk=tool.pk).update(config={"risk": 1})
    with pytest.raises(Exception, match="changed"):
        confirm(draft, alice, HERE_FOR_A_DAY)
    assert not StandingApproval.objects.exists()


@pytest.mark.parametrize("terms", [{"hours": 0}, {"hours": MAX_HOURS + 1}, {"uses": 0}])
def test_terms_have_limits(terms: dict[str, int]) -> None:
    with pytest.raises(InvalidInput):
        Remember(scope=ApprovalScope.AGENT, **terms)
    with pytest.raises(InvalidInput):
        Remember(scope=ApprovalScope.AGENT, uses=MAX_USES + 1)


# --- It is taken back ---


def test_revoking_is_at_once_once_and_ones_own(tool: Tool, alice: User, bob: User) -> None:
    approval = give(tool, alice)
    with pytest.raises(NotFound):
        revoke_approval(actor_of(bob), approval.pk)
    assert call(tool, alice).success
    revoke_approval(actor_of(alice), approval.pk)
    assert revoke_approval(actor_of(alice), approval.pk).revoked_by == alice
    assert call(tool, alice).draft is not None
    assert events_of(approval.pk) == ["approval.given", "approval.used", "approval.revoked"]


def test_one_that_is_used_up_or_over_stays_that_when_it_is_taken_back(
    tool: Tool, alice: User
) -> None:
    def state_after(**changes: Any) -> ApprovalState:
        given = give(tool, alice)
        StandingApproval.objects.filter(pk=given.pk).update(**changes)
        taken_back = revoke_approval(actor_of(alice), given.pk)
        return state_of(taken_back, now=timezone.now() + timedelta(days=9))

    past = timezone.now() - timedelta(minutes=1)
    assert state_after(uses=1, uses_left=0) == ApprovalState.USED_UP
    assert state_after(expires_at=past) == ApprovalState.EXPIRED
    assert state_after(uses=1) == ApprovalState.REVOKED


def test_operators_revoke_anybodys_and_nobody_else_does(
    tool: Tool, alice: User, bob: User, operator: User
) -> None:
    approval = give(tool, alice)
    with pytest.raises(NotPermitted):
        revoke_as_operator(actor_of(bob), approval.pk)
    assert revoke_as_operator(actor_of(operator), approval.pk).revoked_by == operator
    assert call(tool, alice).draft is not None
    assert events_of(approval.pk)[-1] == "approval.revoked"


def test_revoking_nothing_is_not_found(alice: User) -> None:
    with pytest.raises(NotFound):
        revoke_approval(actor_of(alice), uuid7())


def test_a_deleted_tool_takes_it_along_and_the_record_stays(tool: Tool, alice: User) -> None:
    approval = give(tool, alice)
    tool.delete()
    approval.refresh_from_db()
    assert (approval.tool_id, approval.tool_slug) == (None, "it")
