"""Whatever is granted, revoked, switched, installed, ordered, cancelled and swept, in whatever
order: a reminder is written when its permission holds as it starts, once, and never otherwise.
"""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from agents.models import Agent, Conversation, Message
from agents.skill_definitions import CHECK_IN, GoalCheckInReminder
from config.base.actor import Actor, Origin
from config.base.models import User
from jobs.enums import JobStatus
from jobs.errors import JobFinished
from jobs.models import Job
from jobs.testing import make_due, run_due_jobs
from skills import registry
from skills.background.services import Order, cancel_background_job, create_background_job
from skills.bindings import switch_skill
from skills.errors import PermissionMissing, SkillOff
from skills.grants import Permission, grant_permission, revoke_permission
from skills.models import AuditEvent, SkillRun

pytestmark = [pytest.mark.django_db, pytest.mark.both]

VERSIONS = ("1.0.0", "1.1.0", "2.0.0")

agents = st.integers(0, 1)
places = st.sampled_from((None, None, 0, 1))  # for all agents, or one
steps = st.lists(
    st.one_of(
        st.tuples(st.just("grant"), places),
        st.tuples(st.just("revoke"), places),
        st.tuples(st.just("switch"), places, st.booleans()),
        st.tuples(st.just("install"), st.integers(1, len(VERSIONS))),
        st.tuples(st.just("order"), agents),
        st.tuples(st.just("order"), agents),
        st.tuples(st.just("cancel"), st.integers(0, 5)),
        st.tuples(st.just("sweep"), st.integers(0, 5)),
        st.tuples(st.just("sweep"), st.integers(0, 5)),
    ),
    min_size=4,
    max_size=25,
)


def release(version: str) -> type[GoalCheckInReminder]:
    manifest = GoalCheckInReminder.manifest.model_copy(update={"version": version})
    return type("Release", (GoalCheckInReminder,), {"manifest": manifest})


@dataclass
class Ordered:
    job: Job
    agent: int
    version: str
    status: str = JobStatus.SCHEDULED


@dataclass
class World:
    """What happened, and an oracle that knows the rules by heart and no row."""

    person: User
    agents: list[Agent]
    installed: int = 1
    granted: dict[int | None, int] = field(default_factory=dict)  # place to major version
    switched: dict[int | None, bool] = field(default_factory=dict)
    jobs: list[Ordered] = field(default_factory=list)

    def do(self, step: tuple[Any, ...]) -> None:
        name, *facts = step
        with registry.only(*(release(version) for version in VERSIONS[: self.installed])):
            getattr(self, name)(*facts)
        self.check()

    @property
    def newest(self) -> str:
        return VERSIONS[self.installed - 1]

    @property
    def actor(self) -> Actor:
        return Actor(user=self.person, origin=Origin.PAGE)

    def refusal(self, agent: int, version: str) -> str:
        """`version`: the one that would run."""
        if version not in VERSIONS[: self.installed]:
            return "unknown_skill"
        if not self.switched.get(agent, self.switched.get(None, True)):
            return "skill_disabled"
        covers = max(self.granted.get(agent, 0), self.granted.get(None, 0))
        return "" if covers >= int(version[0]) else "permission_missing"

    # --- Steps ---

    def at(self, place: int | None) -> UUID | None:
        return None if place is None else self.agents[place].pk

    def permission(self, place: int | None) -> Permission:
        return Permission(
            skill_id=CHECK_IN, code="proactive_message:write", agent_id=self.at(place)
        )

    def grant(self, place: int | None) -> None:
        grant_permission(self.actor, self.permission(place))
        self.granted[place] = max(self.granted.get(place, 0), int(self.newest[0]))

    def revoke(self, place: int | None) -> None:
        revoke_permission(self.actor, self.permission(place))
        self.granted.pop(place, None)

    def switch(self, place: int | None, on: bool) -> None:
        switch_skill(self.actor, CHECK_IN, enabled=on, agent_id=self.at(place))
        self.switched[place] = on

    def install(self, number: int) -> None:
        self.installed = number

    def order(self, agent: int) -> None:
        due = timezone.now() + timedelta(hours=1)
        order = Order(skill_id=CHECK_IN, agent_id=self.agents[agent].pk, scheduled_at=due)
        refusal = self.refusal(agent, self.newest)
        if refusal:
            with pytest.raises((PermissionMissing, SkillOff)) as refused:
                create_background_job(self.actor, order)
            assert refused.value.code == refusal
        else:
            job = create_background_job(self.actor, order)
            self.jobs.append(Ordered(job, agent, self.newest))

    def cancel(self, number: int) -> None:
        if not self.jobs:
            return
        ordered = self.jobs[number % len(self.jobs)]
        try:
            cancel_background_job(self.actor, ordered.job.pk)
        except JobFinished:
            assert ordered.status != JobStatus.SCHEDULED
        else:
            assert ordered.status == JobStatus.SCHEDULED
            ordered.status = JobStatus.CANCELLED

    def sweep(self, number: int) -> None:
        """Once this one's time has come."""
        if not self.jobs:
            return
        ordered = self.jobs[number % len(self.jobs)]
        make_due(ordered.job)
        ran = run_due_jobs()
        if ordered.status != JobStatus.SCHEDULED:
            assert ran == []
            return
        refusal = self.refusal(ordered.agent, ordered.version)
        ordered.status = JobStatus.FAILED if refusal else JobStatus.COMPLETED
        assert [one.last_error_code for one in ran] == [refusal]

    # --- What holds at any time ---

    def check(self) -> None:
        rows = Job.objects.filter(owner=self.person).values_list("pk", "status")
        assert dict(rows) == {one.job.pk: one.status for one in self.jobs}
        written = {one.job.pk for one in self.jobs if one.status == JobStatus.COMPLETED}
        assert set(Message.objects.values_list("pk", flat=True)) == written
        for conversation in Conversation.objects.all():
            there = conversation.messages.count()
            assert (conversation.message_count, conversation.unread) == (there, there)
        ended = [one for one in self.jobs if one.status in ("completed", "failed")]
        assert SkillRun.objects.count() == len(ended)
        assert SkillRun.objects.filter(status="succeeded").count() == len(written)
        assert AuditEvent.objects.filter(action="reminder.written").count() == len(written)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=steps)
@example(
    steps=[
        *(("grant", None), ("order", 0), ("order", 0), ("revoke", None), ("sweep", 0)),
        *(("grant", 1), ("sweep", 1), ("order", 1), ("sweep", 2), ("sweep", 2)),
    ]
)
@example(
    steps=[
        *(("grant", 0), ("order", 0), ("order", 0), ("order", 0), ("install", 3), ("sweep", 0)),
        *(("order", 0), ("grant", 0), ("order", 0), ("sweep", 1), ("install", 2), ("sweep", 3)),
        *(("switch", None, False), ("sweep", 2)),
    ]
)
def test_a_reminder_is_written_when_it_may_be_and_only_then(
    guide: Agent, alice: User, steps: list[tuple[Any, ...]]
) -> None:
    with transaction.atomic():
        other = Agent.objects.create(slug="other", name="Other")
        world = World(alice, [guide, other])
        for step in steps:
            world.do(step)
        transaction.set_rollback(True)
