"""For each rule of the grant gate a call that it allows and its twin that it refuses."""

from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from config.base.actor import Origin
from config.base.errors import InvalidInput
from config.base.models import Project, User
from skills import registry
from skills.bindings import switch_skill
from skills.enums import ApprovalMode
from skills.grants import Permission, grant_permission, revoke_permission
from skills.models import AuditEvent
from tests.skills.conftest import AGENT, OTHER_AGENT
from tests.skills.factories import READ, WRITE, Tone, permission, skill
from tests.tools.conftest import actor_of, context_for, parked, run
from tests.tools.factories import ToolFactory
from tests.tools.standing import confirm
from tools.approvals.terms import ApprovalScope, Remember
from tools.decisions import Decision, Reason
from tools.enums import Risk
from tools.errors import CallDenied
from tools.execution import prepare
from tools.gates import answered, judge
from tools.models import StandingApproval, Tool, ToolCall
from tools.pipeline import call_tool
from tools.testing import arguments_for

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("agents"), pytest.mark.both]

CODES = {"permission_codes": [READ]}


def decide(tool: Tool, user: User, *, agent: Any = AGENT, **values: Any) -> Decision:
    actor = actor_of(user, Origin.CHAT, agent_id=agent)
    context = context_for(user, actor=actor, **values)
    prepared = prepare(tool, arguments_for(tool.type), ToolCall(tool_slug=tool.slug), context)
    return judge(prepared, context)


def of_gate(decision: Decision) -> Reason:
    return next(reason for reason in decision.reasons if reason.gate == "grant")


def judged(tool: Tool, user: User, **values: Any) -> tuple[str, str]:
    reason = of_gate(decide(tool, user, **values))
    return reason.outcome.value, reason.reason_code


def as_skill(skill_id: str = "echo", version: str = "1.0.0", **values: Any) -> dict[str, Any]:
    return {"skill": skill_id, "skill_version": version, **values}


def grant(user: User, code: str = READ, **where: Any) -> Any:
    return grant_permission(actor_of(user), Permission(skill_id="echo", code=code, **where))


def revoke(user: User, code: str = READ, **where: Any) -> Any:
    return revoke_permission(actor_of(user), Permission(skill_id="echo", code=code, **where))


# --- A skill's call ---


@pytest.mark.usefixtures("echo")
def test_a_skill_may_do_what_was_granted_and_nothing_before(tool: Tool, alice: User) -> None:
    assert judged(tool, alice, **as_skill()) == ("deny", "permission_missing")
    grant(alice)
    assert judged(tool, alice, **as_skill()) == ("allow", "granted")
    revoke(alice)
    assert judged(tool, alice, **as_skill()) == ("deny", "permission_missing")


@pytest.mark.usefixtures("echo")
def test_a_grant_is_its_persons_alone(tool: Tool, alice: User, bob: User) -> None:
    grant(alice)
    assert judged(tool, alice, **as_skill()) == ("allow", "granted")
    assert judged(tool, bob, **as_skill()) == ("deny", "permission_missing")


@pytest.mark.usefixtures("echo")
def test_a_grant_for_one_agent_counts_for_no_other(tool: Tool, alice: User) -> None:
    grant(alice, agent_id=AGENT)
    assert judged(tool, alice, **as_skill()) == ("allow", "granted")
    for other in (OTHER_AGENT, None):
        assert judged(tool, alice, agent=other, **as_skill()) == ("deny", "permission_missing")


@pytest.mark.usefixtures("echo")
def test_a_grant_for_all_agents_counts_for_each_and_for_none(tool: Tool, alice: User) -> None:
    grant(alice)
    for agent in (AGENT, OTHER_AGENT, None):
        assert judged(tool, alice, agent=agent, **as_skill()) == ("allow", "granted")


@pytest.mark.usefixtures("echo")
def test_revoking_for_one_agent_leaves_what_was_granted_for_all(tool: Tool, alice: User) -> None:
    grant(alice)
    narrow = grant(alice, agent_id=AGENT)
    [leave] = of_gate(decide(tool, alice, **as_skill())).leaves
    assert str(leave) == f"permission_grant:{narrow.pk}"
    revoke(alice, agent_id=AGENT)
    assert judged(tool, alice, **as_skill()) == ("allow", "granted")
    revoke(alice)
    assert judged(tool, alice, **as_skill()) == ("deny", "permission_missing")


def test_every_grant_that_it_needs_is_said_and_on_record_and_so_is_every_one_that_it_lacks(
    tool: Tool, alice: User
) -> None:
    both = (permission(READ), permission(WRITE))
    with registry.only(skill(permissions=both)):
        lacking = of_gate(decide(tool, alice, **as_skill()))
        assert (lacking.missing, lacking.leaves) == ((READ, WRITE), ())
        actor = actor_of(alice, Origin.SKILL, agent_id=AGENT)
        context = context_for(alice, actor=actor, **as_skill())
        call_tool(tool, arguments_for(tool.type), context)
        event = AuditEvent.objects.filter(action="policy.decided").latest("id")
        assert event.metadata["missing"] == [READ, WRITE]
        grants = [grant(alice, READ), grant(alice, WRITE)]
        given = of_gate(decide(tool, alice, **as_skill()))
        assert [leave.id for leave in given.leaves] == [one.pk for one in grants]
        assert given.missing == ()
        context = replace(context, idempotency_key="again")
        call_tool(tool, arguments_for(tool.type), context)
        event = AuditEvent.objects.filter(action="policy.decided").latest("id")
        assert event.metadata["leaves"] == [f"permission_grant:{one.pk}" for one in grants]


def test_what_is_confirmed_each_time_says_by_which_grant_it_could_be_asked_at_all(
    tool: Tool, alice: User
) -> None:
    asks = (permission(READ), permission(WRITE, ApprovalMode.PER_OPERATION))
    with registry.only(skill(permissions=asks)):
        given = grant(alice, READ)
        asked = decide(tool, alice, **as_skill())
        for decision in (asked, answered(asked, allowed=False)):
            assert [leave.id for leave in of_gate(decision).leaves] == [given.pk]
        assert of_gate(answered(asked, allowed=False)).by_person


@pytest.mark.usefixtures("echo")
@pytest.mark.parametrize(
    ("skill_id", "version"), [("echo", "9.0.0"), ("echo", ""), ("other", "1.0.0")]
)
def test_a_skill_that_is_not_installed_may_nothing(
    tool: Tool, alice: User, skill_id: str, version: str
) -> None:
    grant(alice)
    assert judged(tool, alice, **as_skill()) == ("allow", "granted")
    assert judged(tool, alice, **as_skill(skill_id, version)) == ("deny", "unknown_skill")


@pytest.mark.usefixtures("echo", "tool")
@pytest.mark.parametrize(
    ("tool_type", "slug"),
    [("fake_secret_echo", "fake_secret_echo"), ("fake_echo", "echo"), ("fake_rename", "fake_echo")],
)
def test_a_skill_may_call_no_tool_but_its_own(
    project: Project, tool: Tool, alice: User, tool_type: str, slug: str
) -> None:
    grant(alice)
    assert judged(tool, alice, **as_skill()) == ("allow", "granted")
    tool.delete()
    other = ToolFactory.create(type=tool_type, slug=slug)
    assert judged(other, alice, **as_skill()) == ("deny", "not_its_tool")


def test_a_skill_that_calls_no_tool_may_call_none(tool: Tool, alice: User) -> None:
    with registry.only(skill(Tone, permissions=())):
        assert judged(tool, alice, **as_skill()) == ("deny", "not_its_tool")
    with registry.only(skill(permissions=())):
        assert judged(tool, alice, **as_skill()) == ("allow", "no_permission_needed")


def test_what_the_tool_needs_the_skill_must_declare(tool: Tool, alice: User) -> None:
    tool.config = {"permission_codes": [READ, WRITE]}
    with registry.only(skill(permissions=(permission(READ), permission(WRITE)))):
        grant(alice)
        grant(alice, WRITE)
        assert judged(tool, alice, **as_skill()) == ("allow", "granted")
    with registry.only(skill()):
        assert judged(tool, alice, **as_skill()) == ("deny", "permission_not_declared")


def test_every_permission_has_to_be_granted(tool: Tool, alice: User) -> None:
    with registry.only(skill(permissions=(permission(READ), permission(WRITE)))):
        grant(alice)
        reason = of_gate(decide(tool, alice, **as_skill()))
        assert reason.outcome == "deny"
        assert WRITE in reason.reason
        assert READ not in reason.reason
        grant(alice, WRITE)
        assert judged(tool, alice, **as_skill()) == ("allow", "granted")


def test_what_needs_no_approval_needs_no_grant(tool: Tool, alice: User) -> None:
    free = permission(READ, ApprovalMode.NONE, Risk.L0)
    with registry.only(skill(permissions=(free,))):
        assert judged(tool, alice, **as_skill()) == ("allow", "no_permission_needed")
    with registry.only(skill(permissions=(free, permission(WRITE)))):
        assert judged(tool, alice, **as_skill()) == ("deny", "permission_missing")


@pytest.mark.usefixtures("echo")
def test_a_skill_that_is_switched_off_may_nothing(tool: Tool, alice: User) -> None:
    grant(alice)
    switch_skill(actor_of(alice), "echo", enabled=False)
    assert judged(tool, alice, **as_skill()) == ("deny", "skill_disabled")
    switch_skill(actor_of(alice), "echo", enabled=True, agent_id=AGENT)
    assert judged(tool, alice, **as_skill()) == ("allow", "granted")
    assert judged(tool, alice, agent=OTHER_AGENT, **as_skill()) == ("deny", "skill_disabled")


# --- Versions ---


def test_a_minor_version_keeps_its_grants_and_a_major_one_does_not(tool: Tool, alice: User) -> None:
    with registry.only(skill()):
        grant(alice)
    with registry.only(*(skill(version=version) for version in ("1.0.0", "1.1.0", "2.0.0"))):
        assert judged(tool, alice, **as_skill(version="1.1.0")) == ("allow", "granted")
        assert judged(tool, alice, **as_skill(version="2.0.0")) == ("deny", "permission_missing")
        grant(alice)
        assert judged(tool, alice, **as_skill(version="2.0.0")) == ("allow", "granted")
        assert judged(tool, alice, **as_skill(version="1.0.0")) == ("allow", "granted")


def test_a_permission_that_a_new_version_adds_is_granted_anew(tool: Tool, alice: User) -> None:
    with registry.only(skill()):
        grant(alice)
        assert judged(tool, alice, **as_skill()) == ("allow", "granted")
    both = (permission(READ), permission(WRITE))
    with registry.only(skill(), skill(version="1.1.0", permissions=both)):
        missing = ("deny", "permission_missing")
        assert judged(tool, alice, **as_skill(version="1.1.0")) == missing
        assert judged(tool, alice, **as_skill()) == ("allow", "granted")
        grant(alice, WRITE)
        assert judged(tool, alice, **as_skill(version="1.1.0")) == ("allow", "granted")


# --- What is confirmed each time ---


def test_what_is_confirmed_each_time_waits_whatever_was_granted(tool: Tool, alice: User) -> None:
    with registry.only(skill()):
        grant(alice)
    each = permission(READ, ApprovalMode.PER_OPERATION, Risk.L3)
    with registry.only(skill(version="1.1.0", permissions=(each,))):
        asks = ("needs_confirmation", "per_operation")
        assert judged(tool, alice, **as_skill(version="1.1.0")) == asks
        revoke(alice)
        assert judged(tool, alice, **as_skill(version="1.1.0")) == asks


def test_confirming_lets_exactly_that_call_through(tool: Tool, alice: User, peer: Any) -> None:
    each = permission(READ, ApprovalMode.PER_OPERATION, Risk.L3)
    with registry.only(skill(permissions=(each,))):
        first = parked(tool, alice, "first", **as_skill())
        parked(tool, alice, "second", **as_skill())
        assert peer.executed == []
        confirm(first, alice)
        assert peer.executed == ["first"]


def test_a_missing_permission_is_not_confirmed_away(tool: Tool, alice: User, peer: Any) -> None:
    """Granted when it was asked for, revoked before the person says yes."""
    each = permission(WRITE, ApprovalMode.PER_OPERATION, Risk.L3)
    with registry.only(skill(permissions=(permission(READ), each))):
        grant(alice)
        draft = parked(tool, alice, **as_skill())
        revoke(alice)
        with pytest.raises(CallDenied, match=READ):
            confirm(draft, alice)
    assert peer.executed == []


@pytest.mark.usefixtures("echo")
def test_a_standing_approval_answers_no_per_operation(tool: Tool, alice: User) -> None:
    each = permission(READ, ApprovalMode.PER_OPERATION, Risk.L2)
    tool.needs_approval = True
    tool.save()
    actor = actor_of(alice, Origin.CHAT, agent_id=AGENT)
    with registry.only(skill(permissions=(each,))):
        draft = run(tool, alice, actor=actor, tool_set={"fake_echo": False}, **as_skill()).draft
        assert draft is not None
        with pytest.raises(InvalidInput, match="every time"):
            confirm(draft, alice, Remember(scope=ApprovalScope.AGENT))
    assert not StandingApproval.objects.exists()


# --- Any other call ---


def test_a_call_without_codes_passes_and_asks_nothing(tool: Tool, alice: User) -> None:
    assert judged(tool, alice) == ("allow", "no_permission_needed")
    tool.config = CODES
    assert judged(tool, alice) == ("deny", "permission_unknown")


@pytest.mark.usefixtures("echo")
def test_a_tools_code_is_met_by_a_grant_of_a_skill_that_declares_it(
    tool: Tool, alice: User, bob: User
) -> None:
    tool.config = CODES
    assert judged(tool, alice) == ("deny", "permission_missing")
    grant(alice, agent_id=AGENT)
    assert judged(tool, alice) == ("allow", "granted")
    assert judged(tool, alice, agent=OTHER_AGENT) == ("deny", "permission_missing")
    assert judged(tool, bob) == ("deny", "permission_missing")


def test_of_several_skills_any_will_do(tool: Tool, alice: User) -> None:
    tool.config = CODES
    with registry.only(skill(skill_id="another"), skill()):
        assert judged(tool, alice) == ("deny", "permission_missing")
        grant(alice)
        assert judged(tool, alice) == ("allow", "granted")


def test_a_grant_of_a_skill_that_has_gone_or_no_longer_declares_it_counts_for_nothing(
    tool: Tool, alice: User
) -> None:
    tool.config = CODES
    with registry.only(skill()):
        grant(alice)
        assert judged(tool, alice) == ("allow", "granted")
    with registry.only(skill(version="1.1.0", permissions=(permission(WRITE),))):
        assert judged(tool, alice) == ("deny", "permission_unknown")
    with registry.only(skill(skill_id="another")):
        assert judged(tool, alice) == ("deny", "permission_missing")


def test_a_code_that_is_only_ever_confirmed_is_confirmed(tool: Tool, alice: User) -> None:
    tool.config = CODES
    each = permission(READ, ApprovalMode.PER_OPERATION, Risk.L3)
    with registry.only(skill(permissions=(each,))):
        assert judged(tool, alice) == ("needs_confirmation", "per_operation")
    with registry.only(skill(permissions=(each,)), skill(skill_id="another")):
        assert judged(tool, alice) == ("deny", "permission_missing")


def test_all_codes_have_to_be_met(tool: Tool, alice: User) -> None:
    tool.config = {"permission_codes": [READ, WRITE]}
    with registry.only(skill(permissions=(permission(READ), permission(WRITE)))):
        grant(alice)
        assert judged(tool, alice) == ("deny", "permission_missing")
        grant(alice, WRITE)
        assert judged(tool, alice) == ("allow", "granted")


# --- What is told and kept ---


@pytest.mark.usefixtures("echo")
def test_a_refusal_says_which_permission_and_where_to_give_it(
    tool: Tool, alice: User, peer: Any
) -> None:
    outcome = run(tool, alice, **as_skill())
    assert outcome.error is not None
    assert outcome.error.code == "permission_missing"
    assert f"Do {READ} ({READ})" in outcome.error.message
    assert "/skills/" in outcome.error.message
    assert peer.executed == []


@pytest.mark.usefixtures("echo")
def test_the_decision_and_the_grant_it_went_by_are_audited(tool: Tool, alice: User) -> None:
    given = grant(alice)
    outcome = run(tool, alice, **as_skill())
    event = AuditEvent.objects.get(action="policy.decided", target_id=str(outcome.call.pk))
    assert (event.skill, event.skill_version, event.outcome) == ("echo", "1.0.0", "allowed")
    assert event.metadata["leaves"] == [f"permission_grant:{given.pk}"]


@pytest.mark.usefixtures("echo")
def test_one_decision_is_one_query(tool: Tool, alice: User) -> None:
    grant(alice)
    for values, queries in (({}, 0), ({"codes": True}, 1), (as_skill(), 1)):
        tool.config = CODES if values.pop("codes", False) else {}
        with CaptureQueriesContext(connection) as asked:
            decide(tool, alice, **values)
        of_skills = [one["sql"] for one in asked if "skills_" in one["sql"]]
        assert len(of_skills) == queries
