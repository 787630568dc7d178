"""Whatever is granted, revoked, installed, switched, called, confirmed and repeated, in whatever
order: no call passes that nobody granted, and none is refused that somebody did."""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from config.base.actor import Origin
from config.base.models import User
from skills import registry
from skills.bindings import switch_skill
from skills.enums import ApprovalMode
from skills.errors import NothingToGrant, UndeclaredPermission
from skills.gate import GrantGate
from skills.grants import Permission, grant_permission, revoke_permission
from skills.models import AuditEvent, PermissionGrant
from skills.versions import precedence
from tests.skills.conftest import AGENT, OTHER_AGENT
from tests.skills.factories import READ, WRITE, permission, skill
from tests.tools.conftest import actor_of, context_for
from tests.tools.standing import confirm
from tools.enums import DecisionOutcome, Risk
from tools.errors import CallDenied
from tools.gates import PreparedCall
from tools.models import ActionDraft, Tool
from tools.outcomes import CallOutcome
from tools.pipeline import call_tool
from tools.schemas import CallContext, Plan
from tools.testing import EchoInput, FakeConfig, FakeDirectory, FakeEcho, arguments_for

pytestmark = [pytest.mark.django_db, pytest.mark.both]

EACH = permission(WRITE, ApprovalMode.PER_OPERATION, Risk.L3)
RELEASES: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("1.0.0", (permission(READ),)),
    ("1.1.0", (permission(READ), permission(WRITE))),
    ("1.2.0", (permission(READ), EACH)),
    ("2.0.0", (permission(READ), permission(WRITE))),
    ("2.0.1", (permission(WRITE),)),
)
OTHER = skill(skill_id="other", permissions=(permission(READ),))

ALL_GRANTED: tuple[tuple[Any, ...], ...] = (
    ("install", 2),
    ("grant", "echo", READ, None),
    ("grant", "echo", WRITE, AGENT),
)

skills = st.sampled_from(("echo", "echo", "other"))
codes = st.sampled_from((READ, WRITE))
agents = st.sampled_from((None, AGENT, OTHER_AGENT))
steps = st.lists(
    st.one_of(
        st.tuples(st.just("grant"), skills, codes, agents),
        st.tuples(st.just("grant"), skills, codes, st.none()),
        st.tuples(st.just("revoke"), st.integers(0, 5)),
        st.tuples(st.just("install"), st.integers(1, len(RELEASES))),
        st.tuples(st.just("switch"), skills, agents, st.booleans()),
        st.tuples(st.just("by_skill"), st.integers(0, len(RELEASES)), agents),
        st.tuples(st.just("by_skill"), st.integers(0, len(RELEASES)), agents),
        st.tuples(st.just("directly"), st.sets(codes, min_size=1), agents),
        st.tuples(st.just("confirm"), st.integers(0, 5)),
        st.tuples(st.just("repeat"), st.integers(0, 30)),
    ),
    min_size=5,
    max_size=30,
)


ANSWERS = {
    DecisionOutcome.ALLOW: "allow",
    DecisionOutcome.NEEDS_CONFIRMATION: "ask",
    DecisionOutcome.DENY: "deny",
}


def _told(outcome: CallOutcome) -> tuple[str, str]:
    assert outcome.error is not None
    return outcome.error.code, outcome.error.message


def _prepared(tool: Tool, codes: Any) -> PreparedCall:
    config = FakeConfig(permission_codes=tuple(codes))
    echo, arguments = FakeEcho(), EchoInput(text="hello")
    return PreparedCall(
        tool=tool,
        tool_type=echo,
        config=config,
        arguments=arguments,
        annotations=echo.annotations(config),
        plan=Plan(title="", arguments={}),
    )


def major(version: str) -> int:
    return precedence(version)[0]


@dataclass
class World:
    """What happened, and an oracle that knows the rules by heart and no row."""

    tool: Tool
    person: User
    peer: Any
    installed: int = 2
    granted: dict[tuple[str, str, UUID | None], int] = field(default_factory=dict)
    switched: dict[tuple[str, UUID | None], bool] = field(default_factory=dict)
    made: list[tuple[dict[str, Any], CallOutcome]] = field(default_factory=list)
    drafts: list[tuple[dict[str, Any], ActionDraft]] = field(default_factory=list)

    def do(self, step: tuple[Any, ...]) -> None:
        name, *facts = step
        with registry.only(*self.released(), OTHER):
            getattr(self, name)(*facts)
        with registry.only(*self.released(), OTHER):
            self.probe()

    def released(self) -> list[type[Any]]:
        releases = RELEASES[: self.installed]
        return [skill(version=version, permissions=wanted) for version, wanted in releases]

    def newest(self, skill_id: str) -> tuple[str, dict[str, Any]]:
        version, wanted = RELEASES[self.installed - 1]
        if skill_id == "other":
            version, wanted = "1.0.0", (permission(READ),)
        return version, {one.code: one.approval for one in wanted}

    # --- What may be, by the rules ---

    def holds(self, skill_id: str, code: str, agent: UUID | None, version: str) -> bool:
        places = {agent, None}
        held = [self.granted.get((skill_id, code, place), 0) for place in places]
        return max(held) >= major(version)

    def is_on(self, skill_id: str, agent: UUID | None) -> bool:
        everywhere = self.switched.get((skill_id, None), True)
        return self.switched.get((skill_id, agent), everywhere)

    def expected(self, facts: dict[str, Any]) -> str:
        return self.of_skill(facts) if facts["skill"] else self.of_codes(facts)

    def of_skill(self, facts: dict[str, Any]) -> str:
        known = {("other", "1.0.0"): {READ: ApprovalMode.PERSISTENT}}
        for version, wanted in RELEASES[: self.installed]:
            known["echo", version] = {one.code: one.approval for one in wanted}
        key = facts["skill"], facts["version"]
        if key not in known or not self.is_on(facts["skill"], facts["agent"]):
            return "deny"
        for code, mode in known[key].items():
            persistent = mode == ApprovalMode.PERSISTENT
            if persistent and not self.holds(key[0], code, facts["agent"], key[1]):
                return "deny"
        return "ask" if ApprovalMode.PER_OPERATION in known[key].values() else "allow"

    def of_codes(self, facts: dict[str, Any]) -> str:
        told = {self.of_code(code, facts["agent"]) for code in facts["codes"]}
        return next(answer for answer in ("deny", "ask", "allow") if answer in told)

    def of_code(self, code: str, agent: UUID | None) -> str:
        modes = []
        for skill_id in ("echo", "other"):
            version, wanted = self.newest(skill_id)
            if code not in wanted:
                continue
            modes.append(wanted[code])
            grantable = wanted[code] == ApprovalMode.PERSISTENT
            if grantable and self.holds(skill_id, code, agent, version):
                return "allow"
        return "ask" if modes and set(modes) == {ApprovalMode.PER_OPERATION} else "deny"

    # --- Steps ---

    def grant(self, skill_id: str, code: str, agent: UUID | None) -> None:
        version, wanted = self.newest(skill_id)
        permission = Permission(skill_id=skill_id, code=code, agent_id=agent)
        try:
            grant_permission(actor_of(self.person), permission)
        except UndeclaredPermission:
            assert code not in wanted
        except NothingToGrant:
            assert wanted[code] == ApprovalMode.PER_OPERATION
        else:
            assert wanted[code] == ApprovalMode.PERSISTENT
            key = skill_id, code, agent
            self.granted[key] = max(self.granted.get(key, 0), major(version))

    def revoke(self, number: int) -> None:
        """One that is there, or else one that is not."""
        held = [*self.granted] or [("echo", READ, None)]
        skill_id, code, agent = held[number % len(held)]
        permission = Permission(skill_id=skill_id, code=code, agent_id=agent)
        revoked = revoke_permission(actor_of(self.person), permission)
        assert bool(revoked) == bool(self.granted.pop((skill_id, code, agent), None))

    def install(self, number: int) -> None:
        self.installed = number

    def switch(self, skill_id: str, agent: UUID | None, on: bool) -> None:
        switch_skill(actor_of(self.person), skill_id, enabled=on, agent_id=agent)
        self.switched[skill_id, agent] = on

    def by_skill(self, number: int, agent: UUID | None) -> None:
        called = self.callable()
        skill_id, version = called[number % len(called)]
        self._new({"skill": skill_id, "version": version, "agent": agent, "codes": ()})

    def callable(self) -> list[tuple[str, str]]:
        """The last is not installed."""
        versions = [version for version, _wanted in RELEASES[: self.installed]]
        return [*(("echo", version) for version in versions), ("other", "1.0.0"), ("echo", "3.0.0")]

    def directly(self, codes: set[str], agent: UUID | None) -> None:
        self._new({"skill": "", "version": "", "agent": agent, "codes": sorted(codes)})

    def probe(self) -> None:
        """What every possible call would be told by now."""
        for agent in (None, AGENT, OTHER_AGENT):
            for skill_id, version in self.callable():
                self._ask({"skill": skill_id, "version": version, "agent": agent, "codes": ()})
            for codes in ((READ,), (WRITE,), (READ, WRITE)):
                self._ask({"skill": "", "version": "", "agent": agent, "codes": codes})

    def _ask(self, facts: dict[str, Any]) -> None:
        reason = GrantGate().judge(_prepared(self.tool, facts["codes"]), self._context(facts))
        assert ANSWERS[reason.outcome] == self.expected(facts), (facts, self.granted)

    def _new(self, facts: dict[str, Any]) -> None:
        facts["key"] = f"key-{len(self.made)}"
        outcome = self._call(facts)
        self.made.append((facts, outcome))
        self._check(facts, outcome)

    def _call(self, facts: dict[str, Any]) -> CallOutcome:
        self._configure(facts)
        tool = Tool.objects.get(pk=self.tool.pk)
        return call_tool(tool, arguments_for(tool.type), self._context(facts))

    def _configure(self, facts: dict[str, Any]) -> None:
        Tool.objects.filter(pk=self.tool.pk).update(config={"permission_codes": facts["codes"]})

    def _context(self, facts: dict[str, Any]) -> CallContext:
        return context_for(
            self.person,
            actor=actor_of(self.person, Origin.CHAT, agent_id=facts["agent"]),
            skill=facts["skill"],
            skill_version=facts["version"],
            idempotency_key=facts.get("key", "none"),
        )

    def _check(self, facts: dict[str, Any], outcome: CallOutcome) -> None:
        answer = self.expected(facts)
        ran = len(self.peer.executed)
        self.peer.executed.clear()
        assert outcome.success == (answer == "allow") == (ran == 1), (facts, self.granted)
        assert (outcome.draft is not None) == (answer == "ask"), (facts, self.granted)
        assert (outcome.error is not None) == (answer == "deny"), (facts, self.granted)
        if outcome.draft:
            self.drafts.append((facts, outcome.draft))
        if outcome.success:
            self._check_grant(facts, outcome)

    def _check_grant(self, facts: dict[str, Any], outcome: CallOutcome) -> None:
        """What is said to have let it through are grants of this person that reach the agent."""
        decided = outcome.call.decision or {}
        reason = next(one for one in decided["reasons"] if one["gate"] == "grant")
        for leave in reason["leaves"]:
            grant = PermissionGrant.objects.active().get(pk=leave["id"])
            assert grant.user == self.person
            assert grant.agent_id in (None, facts["agent"])

    def confirm(self, number: int) -> None:
        """What was asked for is judged by what holds when the person says yes."""
        if not self.drafts:
            return
        facts, draft = self.drafts.pop(number % len(self.drafts))
        self._configure(facts)
        denied = self.expected(facts) == "deny"
        try:
            confirm(draft, self.person)
        except CallDenied:
            assert denied
        else:
            assert not denied
        assert len(self.peer.executed) == (0 if denied else 1)
        self.peer.executed.clear()

    def repeat(self, number: int) -> None:
        """The same call again: what was refused stays so, what waits for a person is not done by
        it, a read is judged again as it runs.
        """
        if not self.made:
            return
        facts, first = self.made[number % len(self.made)]
        again = self._call(facts)
        assert again.call.pk == first.call.pk
        if first.draft is not None or first.error is not None:
            assert again.draft in (None, first.draft)
            assert first.error is None or _told(again) == _told(first)
            assert self.peer.executed == []
            return
        self.made[number % len(self.made)] = (facts, again)
        self._check(facts, again)

    def check(self) -> None:
        """Rows and audit agree: one event for each grant, one for each that ended."""
        rows = PermissionGrant.objects.all()
        events = AuditEvent.objects.filter(target_type="permission_grant")
        assert events.filter(action="grant.granted").count() == rows.count()
        ended = rows.exclude(revoked_at=None).count()
        assert events.filter(action="grant.revoked").count() == ended
        active = {(one.skill_id, one.code, one.agent_id) for one in rows.active()}
        assert active == set(self.granted)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=steps)
@example(steps=[*ALL_GRANTED, ("install", 3), ("install", 4), ("grant", "echo", READ, None)])
@example(steps=[*ALL_GRANTED, ("install", 5), ("revoke", 0), ("revoke", 0), ("install", 1)])
@example(steps=[("install", 3), ("directly", {WRITE}, AGENT), ("confirm", 0)])
@pytest.mark.usefixtures("agents")
def test_whatever_was_granted_passes_and_nothing_else(
    tool: Tool, alice: User, peer: Any, steps: list[tuple[Any, ...]]
) -> None:
    FakeDirectory.tool_sets = {key: {tool.slug: False} for key in (AGENT, OTHER_AGENT)}
    with transaction.atomic():
        world = World(tool, alice, peer)
        for step in steps:
            world.do(step)
        world.check()
        transaction.set_rollback(True)
    peer.executed.clear()
