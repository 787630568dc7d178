"""Reminders that were ordered, as they are written: judged anew, and on record however they end."""

from collections.abc import Callable
from threading import Event
from typing import Any, ClassVar
from uuid import UUID

import pytest
from django.db import connection, transaction

from agents.models import Agent, Message
from agents.reminders.payload import ReminderPayload
from agents.skill_definitions import CHECK_IN, GoalCheckInReminder
from config.base.errors import GatehouseError
from config.base.models import User
from jobs.claiming import claim_due_jobs
from jobs.enums import JobStatus
from jobs.errors import HandlerTimedOut, PermanentFailure
from jobs.models import Job
from jobs.registry import get_handler
from jobs.services import (
    Ready,
    enqueue,
    recover_lost_jobs,
    start_job,
)
from jobs.testing import make_due
from skills import registry
from skills.background.services import (
    create_background_job,
)
from skills.bindings import switch_skill
from skills.grants import grant_permission, revoke_permission
from skills.models import AuditEvent, PermissionGrant, SkillRun
from tests.agents.reminder_orders import (
    NOTE,
    PERMISSION,
    actions,
    order,
    page,
    run_now,
)
from tests.threads import PATIENCE_SECONDS, both_at_once

pytestmark = [pytest.mark.django_db, pytest.mark.both]


@pytest.fixture
def grant(alice: User) -> PermissionGrant:
    return grant_permission(page(alice), PERMISSION)


def test_when_it_is_due_it_is_written_decided_and_counted_as_a_use(
    alice: User, guide: Agent, grant: PermissionGrant
) -> None:
    job = create_background_job(page(alice), order(guide))
    before = len(actions())
    ran = run_now(job)
    assert (ran.status, ran.result) == (JobStatus.COMPLETED, {"message_id": str(job.pk)})
    assert Message.objects.filter(pk=job.pk, role="reminder").count() == 1
    assert sorted(actions()[before:]) == [
        ("job.executed", "succeeded"),
        ("policy.decided", "allowed"),
        ("reminder.written", "succeeded"),
    ]
    for event in AuditEvent.objects.order_by("-id")[:3]:
        assert (event.skill, event.skill_version) == (CHECK_IN, "1.0.0")
    [use] = SkillRun.objects.all()
    assert (use.skill_id, use.version, use.kind, use.status, use.agent_id) == (
        CHECK_IN,
        "1.0.0",
        "background",
        "succeeded",
        guide.pk,
    )


def fails_for_good(job: Job, code: str, use: str) -> None:
    """`use`: how it stands among the uses of skills; "" where it is none."""
    ran = run_now(job)
    assert (ran.status, ran.last_error_code, ran.attempts) == (JobStatus.FAILED, code, 0)
    assert not Message.objects.filter(pk=job.pk).exists()
    assert not AuditEvent.objects.filter(action="reminder.written").exists()
    uses = SkillRun.objects.values_list("status", "error_code", "kind", "version", "number")
    assert list(uses) == ([(use, code, "background", "1.0.0", 0)] if use else [])
    decided = AuditEvent.objects.filter(action="policy.decided", outcome="denied")
    denied = [(CHECK_IN, code, str(job.pk))] if use == "denied" else []
    assert list(decided.values_list("skill", "reason_code", "target_id")) == denied
    event = AuditEvent.objects.get(action="job.executed")
    assert (event.outcome, event.reason_code, event.skill) == ("failed", code, CHECK_IN)


type Undo = Callable[[User, UUID], object]
UNDONE: dict[str, tuple[Undo, str]] = {
    "revoked": (lambda user, _: revoke_permission(page(user), PERMISSION), "permission_missing"),
    "switched off": (
        lambda user, _: switch_skill(page(user), CHECK_IN, enabled=False),
        "skill_disabled",
    ),
    "switched off for this agent": (
        lambda user, agent: switch_skill(page(user), CHECK_IN, enabled=False, agent_id=agent),
        "skill_disabled",
    ),
}


@pytest.mark.parametrize(("undo", "code"), UNDONE.values(), ids=UNDONE)
def test_what_was_taken_back_in_between_ends_it_for_good(
    alice: User, guide: Agent, grant: PermissionGrant, undo: Undo, code: str
) -> None:
    job = create_background_job(page(alice), order(guide))
    undo(alice, guide.pk)
    fails_for_good(job, code, "denied")


@pytest.mark.parametrize(("undo", "code"), UNDONE.values(), ids=UNDONE)
def test_also_between_its_start_and_its_effect(
    alice: User,
    guide: Agent,
    grant: PermissionGrant,
    undo: Undo,
    code: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from agents.job_handlers import GoalCheckIn

    job = create_background_job(page(alice), order(guide))
    monkeypatch.setattr(
        GoalCheckIn, "prepare", lambda handler, call: undo(alice, guide.pk) and None
    )
    ran = run_now(job)
    assert (ran.status, ran.last_error_code, ran.attempts) == (JobStatus.FAILED, code, 1)
    assert not Message.objects.filter(pk=job.pk).exists()
    use = SkillRun.objects.get()
    assert (use.status, use.error_code, use.started_at) == ("denied", code, ran.started_at)


@pytest.mark.django_db(transaction=True)
def test_what_is_taken_back_while_it_writes_is_taken_back_after_it(
    alice: User, guide: Agent, grant: PermissionGrant, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = create_background_job(page(alice), order(guide))
    judged, revoked = Event(), Event()
    in_between: list[bool] = []
    write = GoalCheckInReminder.execute

    def slowly(skill: Any, context: Any) -> None:
        judged.set()
        in_between.append(revoked.wait(1))
        write(skill, context)

    def revoke() -> None:
        assert judged.wait(PATIENCE_SECONDS)
        revoke_permission(page(alice), PERMISSION)
        revoked.set()

    monkeypatch.setattr(GoalCheckInReminder, "execute", slowly)
    both_at_once(lambda: run_now(job), revoke)
    assert in_between == [False]
    assert Message.objects.filter(pk=job.pk).exists()
    assert list(
        AuditEvent.objects.filter(action__in=["reminder.written", "grant.revoked"])
        .order_by("recorded_at", "id")
        .values_list("action", flat=True)
    ) == ["reminder.written", "grant.revoked"]


@pytest.mark.django_db(transaction=True)
def test_what_is_being_taken_back_as_it_would_write_keeps_it_away(
    alice: User, guide: Agent, grant: PermissionGrant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job began with the permission; its revocation commits while the effects begin."""
    from agents.job_handlers import GoalCheckIn

    job = create_background_job(page(alice), order(guide))
    begun, revoking, ended = Event(), Event(), Event()

    def prepare(_handler: Any, _call: Any) -> None:
        begun.set()
        assert revoking.wait(PATIENCE_SECONDS)

    def run() -> Job:
        ran = run_now(job)
        ended.set()
        return ran

    def revoke() -> None:
        assert begun.wait(PATIENCE_SECONDS)
        with transaction.atomic():
            revoke_permission(page(alice), PERMISSION)
            revoking.set()
            ended.wait(1)  # time for the job to come to where it judges, if nothing holds it up

    monkeypatch.setattr(GoalCheckIn, "prepare", prepare)
    ran, _ = both_at_once(run, revoke)
    assert isinstance(ran, Job)
    assert (ran.status, ran.last_error_code) == (JobStatus.FAILED, "permission_missing")
    assert not Message.objects.filter(pk=job.pk).exists()


def test_a_permission_given_again_counts_again(
    alice: User, guide: Agent, grant: PermissionGrant
) -> None:
    job = create_background_job(page(alice), order(guide))
    revoke_permission(page(alice), PERMISSION)
    grant_permission(page(alice), PERMISSION)
    assert run_now(job).status == JobStatus.COMPLETED


class Next(GoalCheckInReminder):
    manifest = GoalCheckInReminder.manifest.model_copy(update={"version": "2.0.0"})


def test_it_runs_in_the_version_that_it_was_made_with(
    alice: User, guide: Agent, grant: PermissionGrant
) -> None:
    """A new major one would need a new permission."""
    job = create_background_job(page(alice), order(guide))
    with registry.only(GoalCheckInReminder, Next):
        assert run_now(job).status == JobStatus.COMPLETED
        with pytest.raises(GatehouseError) as refused:
            create_background_job(page(alice), order(guide))
    assert refused.value.code == "permission_missing"
    assert SkillRun.objects.get().version == "1.0.0"


def test_without_that_version_it_fails_for_good(
    alice: User, guide: Agent, grant: PermissionGrant
) -> None:
    job = create_background_job(page(alice), order(guide))
    with registry.only(Next):
        fails_for_good(job, "unknown_skill", "failed")


def test_a_job_that_was_made_past_the_skill_does_not_run(
    alice: User, guide: Agent, grant: PermissionGrant
) -> None:
    skill = GoalCheckInReminder()
    payload = skill.build_payload(page(alice), guide.pk, NOTE)
    fails_for_good(enqueue(CHECK_IN, payload, actor=page(alice)), "unknown_skill", "")
    revoke_permission(page(alice), PERMISSION)
    with pytest.raises(PermanentFailure):
        enqueue(CHECK_IN, payload, actor=page(alice))


class Broken(GoalCheckInReminder):
    """Fails as often as `failures` says."""

    failures: ClassVar[list[Exception]] = []

    def execute(self, context: Any) -> None:
        if self.failures:
            raise self.failures.pop()
        super().execute(context)


def test_each_attempt_is_a_use_of_the_skill_however_it_ended(
    alice: User, guide: Agent, grant: PermissionGrant
) -> None:
    job = create_background_job(page(alice), order(guide))
    Broken.failures = [HandlerTimedOut(), RuntimeError("no")]
    with registry.only(Broken):
        for attempt in (1, 2):
            ran = run_now(job)
            assert (ran.status, ran.attempts) == (JobStatus.RETRYING, attempt)
        revoke_permission(page(alice), PERMISSION)
        assert run_now(job).status == JobStatus.FAILED
    uses = SkillRun.objects.order_by("number").values_list("number", "status", "error_code")
    assert list(uses) == [
        (0, "failed", "handler_failed"),
        (1, "timeout", "timed_out"),
        (2, "denied", "permission_missing"),
    ]
    for use in SkillRun.objects.all():
        assert (use.user, use.agent_id, use.duration_ms is not None) == (alice, guide.pk, True)


def test_one_whose_worker_died_is_one_too(
    alice: User, guide: Agent, grant: PermissionGrant
) -> None:
    job = create_background_job(page(alice), order(guide))
    make_due(job)
    [claimed] = claim_due_jobs("a worker", limit=1)
    start_job(Ready(claimed, get_handler(CHECK_IN), ReminderPayload(**job.payload)))
    Job.objects.filter(pk=job.pk).update(lease_expires_at=job.created_at)
    assert recover_lost_jobs() == 1
    use = SkillRun.objects.get()
    assert (use.status, use.error_code) == ("failed", "worker_lost")
    assert run_now(job).status == JobStatus.COMPLETED
    assert SkillRun.objects.filter(status="succeeded", number=1).count() == 1


def test_what_can_not_be_kept_of_an_attempt_does_not_keep_it_from_ending(
    alice: User, guide: Agent, grant: PermissionGrant, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = create_background_job(page(alice), order(guide))
    revoke_permission(page(alice), PERMISSION)
    no_status = "x" * 300 if connection.vendor == "postgresql" else None
    monkeypatch.setattr("skills.background.uses._status_of", lambda error: no_status)
    assert run_now(job).status == JobStatus.FAILED
    assert not SkillRun.objects.exists()
