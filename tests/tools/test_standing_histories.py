"""Whatever is given, used, revoked, expired and changed, in whatever order: no call passes that no
valid approval covers, and none is asked about that one covers."""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from django.db.models.functions import Now
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from config.base.models import Project, User
from skills.models import AuditEvent
from tests.tools.conftest import Make, actor_of
from tests.tools.standing import AGENT, ELSEWHERE, HERE, OTHER_AGENT, agent_of, call, confirm
from tools.approvals.services import revoke_approval
from tools.approvals.terms import ApprovalScope, Remember
from tools.models import StandingApproval, Tool, ToolCall
from tools.outcomes import CallOutcome
from tools.testing import FakeDirectory

pytestmark = [pytest.mark.django_db, pytest.mark.both]

AGENTS, PLACES = (AGENT, OTHER_AGENT), (HERE, ELSEWHERE)
CONFIGS: tuple[dict[str, Any], ...] = ({}, {"idempotent": True}, {"risk": 1}, {"risk": 3})

places = st.tuples(st.sampled_from(AGENTS), st.sampled_from(PLACES))
calls = st.tuples(
    st.just("call"),
    places,
    st.sampled_from(("Atlas", "Atlas", "Atlas", "risky")),
    st.sampled_from((False, False, False, True)),  # unattended
)
gifts = st.tuples(
    st.just("give"), places, st.sampled_from(ApprovalScope), st.sampled_from((None, 1, 2))
)
repeats = st.tuples(st.just("repeat"), st.integers(0, 30))
endings = st.tuples(st.sampled_from(("revoke", "expire")), st.integers(0, 5))
changes = st.tuples(st.just("configure"), st.integers(0, len(CONFIGS) - 1))
demands = st.tuples(st.just("demand"), st.sampled_from(AGENTS), st.booleans())
steps = st.lists(
    st.one_of(calls, calls, calls, gifts, gifts, repeats, endings, changes, demands),
    min_size=5,
    max_size=30,
)


@dataclass
class Given:
    """What the oracle knows of one approval."""

    agent: UUID | None
    place: UUID | None
    config: dict[str, Any]
    reasons: frozenset[str]
    left: int | None
    uses: int = 0
    ended: bool = False


@dataclass
class World:
    tool: Tool
    person: User
    config: dict[str, Any] = field(default_factory=dict)
    adding: dict[UUID, bool] = field(default_factory=lambda: dict.fromkeys(AGENTS, False))
    given: dict[UUID, Given] = field(default_factory=dict)
    made: list[tuple[dict[str, Any], CallOutcome]] = field(default_factory=list)

    def do(self, step: tuple[Any, ...]) -> None:
        name, *facts = step
        getattr(self, name)(*facts)

    def reasons(self, agent: UUID) -> frozenset[str]:
        more = {"agent_needs_approval"} if self.adding[agent] else set()
        return frozenset({"tool_needs_approval", *more})

    def valid(self, agent: UUID, place: UUID) -> set[UUID]:
        return {
            key
            for key, one in self.given.items()
            if not one.ended
            and one.left != 0
            and one.agent in (None, agent)
            and one.place in (None, place)
            and one.config == self.config
            and self.reasons(agent) <= one.reasons
        }

    def _make(self, values: dict[str, Any]) -> CallOutcome:
        agent = values["agent"]
        return call(
            Tool.objects.get(pk=self.tool.pk),
            self.person,
            values["word"],
            actor=agent_of(self.person, agent, values["place"]),
            tool_set={self.tool.slug: self.adding[agent]},
            unattended=values["unattended"],
            idempotency_key=values["key"],
        )

    def call(self, where: tuple[UUID, UUID], word: str, unattended: bool) -> CallOutcome:
        agent, place = where
        values = {"agent": agent, "place": place, "word": word, "unattended": unattended}
        values["key"] = f"key-{len(self.made)}"
        outcome = self._make(values)
        self.made.append((values, outcome))
        may_be = word != "risky" and not unattended and self.config.get("risk") != 3
        valid = self.valid(agent, place) if may_be else set()
        assert outcome.success == bool(valid), (step_of(values), self.given)
        assert (outcome.draft is None) == bool(valid)
        used = ToolCall.objects.get(pk=outcome.call.pk).standing_approval_id
        assert (used in valid) if valid else used is None
        if used:
            one = self.given[used]
            one.uses += 1
            one.left = None if one.left is None else one.left - 1
        return outcome

    def give(self, where: tuple[UUID, UUID], scope: ApprovalScope, uses: int | None) -> None:
        draft = self.call(where, "Given", False).draft
        if draft is None or self.config.get("risk") == 3:
            return
        confirm(draft, self.person, Remember(scope=scope, uses=uses))
        approval = StandingApproval.objects.get(draft=draft)
        agent, place = where
        self.given[approval.pk] = Given(
            agent=None if scope == ApprovalScope.ANY else agent,
            place=place if scope == ApprovalScope.CONVERSATION else None,
            config=self.config,
            reasons=self.reasons(agent),
            left=uses,
        )

    def repeat(self, number: int) -> None:
        """The same key again is told the same, whatever holds by now, and uses nothing."""
        if self.made:
            values, first = self.made[number % len(self.made)]
            again = self._make(values)
            assert again.call.pk == first.call.pk
            assert again.success or not first.success

    def revoke(self, number: int) -> None:
        if approval := self._chosen(number):
            revoke_approval(actor_of(self.person), approval)
            self.given[approval].ended = True

    def expire(self, number: int) -> None:
        if approval := self._chosen(number):
            StandingApproval.objects.filter(pk=approval).update(expires_at=Now())
            self.given[approval].ended = True

    def _chosen(self, number: int) -> UUID | None:
        return [*self.given][number % len(self.given)] if self.given else None

    def configure(self, number: int) -> None:
        self.config = CONFIGS[number]
        Tool.objects.filter(pk=self.tool.pk).update(config=self.config)

    def demand(self, agent: UUID, adds: bool) -> None:
        self.adding[agent] = adds
        FakeDirectory.tool_sets[agent] = {self.tool.slug: adds}

    def check(self) -> None:
        """The books agree: rows, ledger and audit."""
        for key, one in self.given.items():
            row = StandingApproval.objects.get(pk=key)
            assert (row.uses, row.uses_left) == (one.uses, one.left)
            assert ToolCall.objects.filter(standing_approval=key).count() == one.uses
            events = AuditEvent.objects.filter(action="approval.used", target_id=str(key))
            assert events.count() == one.uses


def step_of(values: dict[str, Any]) -> str:
    return f"{values['key']}: {values['word']} by {values['agent']} in {values['place']}"


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=steps)
def test_whoever_is_covered_passes_and_nobody_else(
    make: Make, project: Project, alice: User, settings: Any, steps: list[tuple[Any, ...]]
) -> None:
    settings.AGENT_DIRECTORY = "tools.testing.FakeDirectory"
    with transaction.atomic():
        FakeDirectory.tool_sets = {agent: {"it": False} for agent in AGENTS}
        world = World(make("rename", slug="it", needs_approval=True), alice)
        for step in steps:
            world.do(step)
        world.check()
        transaction.set_rollback(True)
    FakeDirectory.tool_sets = {}
