"""What the gates say: each of them, all of them, and those that can't decide."""

import uuid
from typing import Any

import pytest

from config.base.actor import Origin
from config.base.models import Project, User
from tests.tools.conftest import Make, actor_of, context_for
from tools.decisions import Decision, Reason
from tools.enums import SEVERITY, DecisionOutcome
from tools.execution import prepare
from tools.gates import judge
from tools.models import Tool, ToolCall
from tools.preview import decide_only, direct_actor
from tools.schemas import CallContext
from tools.testing import arguments_for

pytestmark = pytest.mark.django_db

AGENT = uuid.uuid4()


def decide(tool: Tool, context: CallContext) -> Decision:
    arguments = arguments_for(tool.type)
    return judge(prepare(tool, arguments, ToolCall(tool_slug=tool.slug), context), context)


def said(decision: Decision) -> tuple[str, str]:
    return decision.outcome, decision.decisive.reason_code


def agent_of(user: User) -> Any:
    return actor_of(user, Origin.CHAT, agent_id=AGENT)


# --- Each gate ---


def test_a_tool_that_is_on_passes(make: Make, alice: User) -> None:
    decision = decide(make("echo"), context_for(alice))
    assert decision.outcome == "allow"
    assert {reason.gate for reason in decision.reasons} >= {"enabled", "approval"}


@pytest.mark.parametrize(
    ("enabled", "tool_set", "code"),
    [
        (False, None, "tool_disabled"),
        (False, {"it": False}, "tool_disabled"),
        (True, {}, "not_in_tool_set"),
        (True, {"other": False}, "not_in_tool_set"),
    ],
)
def test_it_refuses_a_tool_that_is_off_or_was_not_given(
    make: Make, alice: User, enabled: bool, tool_set: dict[str, bool] | None, code: str
) -> None:
    tool = make("echo", slug="it", enabled=enabled)
    assert said(decide(tool, context_for(alice, tool_set=tool_set))) == ("deny", code)


@pytest.mark.parametrize(
    ("row", "tool_set", "code"),
    [
        ({"config": {"risk": 3}}, None, "high_risk"),
        ({"config": {"risk": 4}}, None, "high_risk"),
        ({"config": {"requires_approval": True}}, None, "type_requires_approval"),
        ({"needs_approval": True}, None, "tool_needs_approval"),
        ({}, {"it": True}, "agent_needs_approval"),
    ],
)
def test_each_demand_alone_needs_a_person(
    make: Make, alice: User, row: dict[str, Any], tool_set: dict[str, bool] | None, code: str
) -> None:
    tool = make("rename", slug="it", **row)
    decision = decide(tool, context_for(alice, tool_set=tool_set))
    assert said(decision) == ("needs_confirmation", code)


def test_no_row_can_take_approval_away(make: Make, alice: User) -> None:
    tool = make("echo", slug="it", config={"requires_approval": True}, needs_approval=False)
    decision = decide(tool, context_for(alice, tool_set={"it": False}))
    assert decision.outcome == "needs_confirmation"


def test_a_read_of_high_risk_is_a_read(make: Make, alice: User) -> None:
    assert decide(make("echo", config={"risk": 3}), context_for(alice)).outcome == "allow"


def test_agents_are_refused_the_highest_risk(make: Make, alice: User, project: Project) -> None:
    tool = make("rename", config={"risk": 4})
    assert said(decide(tool, context_for(alice, actor=agent_of(alice)))) == (
        "deny",
        "risk_refused",
    )


# --- confirm: true ---


@pytest.mark.parametrize(
    ("kind", "risk", "outcome"),
    [
        ("rename", 0, "allow"),
        ("rename", 2, "allow"),
        ("rename", 3, "needs_confirmation"),
        ("rename", 4, "needs_confirmation"),
        ("send", 2, "allow"),
        ("send", 3, "needs_confirmation"),
        ("foreign_rename", 0, "needs_confirmation"),
        ("foreign_rename", 2, "needs_confirmation"),
    ],
)
def test_calling_with_confirm_confirms_our_own_tools_up_to_l2(
    make: Make, alice: User, kind: str, risk: int, outcome: str
) -> None:
    tool = make(kind, needs_approval=True, config={"risk": risk})
    assert decide(tool, context_for(alice, confirm=True)).outcome == outcome


def test_an_agent_never_confirms(make: Make, alice: User, project: Project) -> None:
    tool = make("rename", needs_approval=True)
    context = context_for(alice, actor=agent_of(alice), confirm=True)
    assert decide(tool, context).outcome == "needs_confirmation"


def test_confirming_lifts_no_other_gate(make: Make, alice: User) -> None:
    tool = make("echo", enabled=False, needs_approval=True)
    assert decide(tool, context_for(alice, confirm=True)).outcome == "deny"


# --- All gates together ---


@pytest.mark.parametrize("gate", ["Denying", "Consent", "Raising"])
@pytest.mark.parametrize("first", [True, False])
def test_the_worst_answer_wins_wherever_it_stands(
    make: Make, alice: User, settings: Any, gate: str, first: bool
) -> None:
    gates = [f"tools.testing.{gate}Gate", "tools.gates.EnabledGate", "tools.gates.ApprovalGate"]
    settings.TOOL_GATES = gates if first else gates[::-1]
    decision = decide(make("echo", needs_approval=True), context_for(alice))
    assert decision.outcome == ("needs_consent" if gate == "Consent" else "deny")
    assert len(decision.reasons) == 3


def test_a_gate_that_raises_refuses(make: Make, alice: User, settings: Any) -> None:
    settings.TOOL_GATES = ["tools.testing.RaisingGate"]
    decision = decide(make("echo"), context_for(alice))
    assert said(decision) == ("deny", "gate_failed")
    assert "RuntimeError" not in decision.decisive.reason


def test_no_gate_at_all_refuses(make: Make, alice: User, settings: Any) -> None:
    settings.TOOL_GATES = []
    assert said(decide(make("echo"), context_for(alice))) == ("deny", "no_gates")


@pytest.mark.parametrize("worst", DecisionOutcome)
@pytest.mark.parametrize("other", DecisionOutcome)
def test_the_decisive_reason_is_the_worst_and_of_equals_the_first(
    worst: DecisionOutcome, other: DecisionOutcome
) -> None:
    reasons = (Reason("one", other, "a", ""), Reason("two", worst, "b", ""))
    decision = Decision(reasons)
    expected = reasons[SEVERITY[worst] > SEVERITY[other]]
    assert decision.decisive == expected
    assert decision.as_json()["reasons"] == [reason.as_json() for reason in reasons]


# --- Only the decision ---


def test_a_decision_alone_leaves_nothing_behind(make: Make, alice: User, project: Project) -> None:
    tool = make("rename", needs_approval=True)
    decision = decide_only(tool, arguments_for("fake_rename"), context_for(alice))
    assert said(decision) == ("needs_confirmation", "tool_needs_approval")
    project.refresh_from_db()
    assert project.name == "Demo"
    assert ToolCall.objects.count() == 0


def test_the_role_of_a_direct_caller(
    operator: User, alice: User, sam: User, stranger: User
) -> None:
    users = (operator, alice, sam, stranger)
    roles = [direct_actor(user, Origin.API).role for user in users]
    assert roles == ["operator", "employee", "supervisor", ""]
