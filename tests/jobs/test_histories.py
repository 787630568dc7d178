"""Whatever two workers, the people and the passing of time do to jobs, in whatever order."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from django.db.models.functions import Now
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from config.base.errors import Conflict, LeaseLost
from config.base.models import User
from jobs.claiming import claim_due_jobs
from jobs.enums import FINISHED, TRANSITIONS, JobStatus
from jobs.errors import HandlerFailed, PermanentFailure
from jobs.models import Job, JobAttempt, PausedKind
from jobs.renewal import renew_leases
from jobs.services import (
    cancel_job,
    enqueue,
    fail_attempt,
    pause_kind,
    recover_lost_jobs,
    release_job,
    resume_kind,
    retry_job,
    run_job_now,
)
from jobs.testing import make_due
from skills.models import AuditEvent
from tests.jobs.handlers import EFFECT, KIND
from tests.jobs.steps import actor_of, complete, expire, start

pytestmark = [
    pytest.mark.both,
    pytest.mark.django_db,
    pytest.mark.usefixtures("script", "ticks"),
]

S = JobStatus

type Step = tuple[str, int, int]

WORK = ("claim", "start", "complete", "fail", "fail for good", "release", "renew")
WORLD = ("enqueue", "enqueue again", "expire", "recover", "make due")
PEOPLE = ("cancel", "retry", "run now", "pause", "resume")
steps = st.lists(
    st.tuples(st.sampled_from(WORK * 3 + WORLD * 2 + PEOPLE), st.integers(0, 1), st.integers(0, 5)),
    min_size=10,
    max_size=60,
)


@dataclass
class World:
    """What was done, and what must hold for it."""

    person: User
    held: tuple[list[Job], list[Job]] = field(default_factory=lambda: ([], []))  # zombies too
    starts: Counter[UUID] = field(default_factory=Counter)
    seen: dict[UUID, tuple[str, int, int]] = field(default_factory=dict)
    cancelled: set[UUID] = field(default_factory=set)

    def do(self, step: Step) -> None:
        name, worker, number = step
        copies = self.held[worker]
        if name == "claim":
            copies.extend(claim_due_jobs(f"worker-{worker}-{len(copies)}", limit=number))
        elif name in WORK:
            if copies:
                self._work(name, copies[number % len(copies)])
        elif name.startswith("enqueue"):
            key = f"key-{number}" if name == "enqueue again" else ""
            enqueue(KIND, actor=actor_of(self.person), idempotency_key=key)
        elif name == "recover":
            recover_lost_jobs()
        else:
            self._decide(name, number)

    def _work(self, name: str, job: Job) -> None:
        """A worker starts what has not started, and ends what has; it may have lost it long ago."""
        try:
            if name == "renew":
                renew_leases([job])
            elif job.started_at is None:
                self._before_start(name, job)
            elif name == "complete":
                complete(job)
            elif name.startswith("fail"):
                fail_attempt(job, PermanentFailure() if "good" in name else HandlerFailed())
        except LeaseLost:
            pass

    def _before_start(self, name: str, job: Job) -> None:
        if name == "start":
            start(job)
            self.starts[job.pk] += 1
        elif name == "release":
            release_job(job)

    def _decide(self, name: str, number: int) -> None:
        actor = actor_of(self.person)
        if name == "pause":
            return pause_kind(actor, KIND)
        if name == "resume":
            return resume_kind(actor, KIND)
        jobs = list(Job.objects.order_by("pk"))
        if jobs:
            self._touch(name, jobs[number % len(jobs)])
        return None

    def _touch(self, name: str, job: Job) -> None:
        acts: dict[str, Any] = {"cancel": cancel_job, "retry": retry_job, "run now": run_job_now}
        if name == "expire":
            expire(job)
        elif name == "make due":
            make_due(job)
        else:
            try:
                acts[name](actor_of(self.person), job.pk)
            except Conflict:
                return
            if name == "cancel":
                self.cancelled.add(job.pk)

    # --- What holds after each step ---

    def check(self) -> None:
        for job in Job.objects.all():
            before = self.seen.get(job.pk, (job.status, job.revision, job.attempts))
            self._check_change(job, *before)
            self.seen[job.pk] = (job.status, job.revision, job.attempts)
        self._check_effects()
        self._check_attempts()

    def _check_change(self, job: Job, status: str, revision: int, attempts: int) -> None:
        assert job.revision >= revision
        assert job.attempts >= attempts
        assert job.attempts == self.starts[job.pk] <= job.max_attempts
        if job.status != status:
            assert JobStatus(job.status) in TRANSITIONS[JobStatus(status)]
            assert job.revision > revision
        if job.pk in self.cancelled:
            assert (job.status, job.lease_owner) == (S.CANCELLED, "")

    def _check_effects(self) -> None:
        effects = Counter(
            AuditEvent.objects.filter(action=EFFECT).values_list("target_id", flat=True)
        )
        completed = Job.objects.filter(status=S.COMPLETED).values_list("pk", flat=True)
        assert effects == Counter({str(pk): 1 for pk in completed})

    def _check_attempts(self) -> None:
        """One row for each start but one that goes on."""
        rows = Counter(JobAttempt.objects.values_list("job", flat=True))
        for job in Job.objects.all():
            goes_on = job.status == S.RUNNING and job.started_at is not None
            assert rows[job.pk] == job.attempts - goes_on

    def come_to_rest(self) -> None:
        """Workers that do nothing but work: each job ends, in one way."""
        PausedKind.objects.all().delete()
        for _ in range(40):
            for job in Job.objects.exclude(status__in=FINISHED):
                expire(job)
                make_due(job)
            recover_lost_jobs()
            Job.objects.waiting().update(next_attempt_at=Now())
            for job in claim_due_jobs("last", limit=20):
                start(job)
                self.starts[job.pk] += 1
                complete(job)
            if not Job.objects.exclude(status__in=FINISHED).exists():
                return
        raise AssertionError("some job does not end")


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(steps)
def test_every_history_keeps_the_invariants(operator: User, history: list[Step]) -> None:
    with transaction.atomic():
        world = World(operator)
        for step in history:
            world.do(step)
            world.check()
        world.come_to_rest()
        world.seen.clear()  # it took more than one step
        world.check()
        transaction.set_rollback(True)
