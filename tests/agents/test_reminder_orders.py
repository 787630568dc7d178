"""Reminders that people order: what is refused and leaves nothing, and what is judged anew."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from agents.models import Agent, Conversation, Message
from agents.skill_definitions import CHECK_IN
from config.base.errors import GatehouseError, NotFound
from config.base.ids import uuid7
from config.base.models import User
from jobs.enums import JobStatus
from jobs.errors import JobFinished
from jobs.models import Job, JobSeries
from jobs.services import (
    end_series,
    enqueue,
    requesting,
)
from jobs.testing import run_due_jobs
from skills.background.services import (
    cancel_background_job,
    check_order,
    create_background_job,
    end_background_series,
)
from skills.bindings import switch_skill
from skills.errors import NotRecurring
from skills.grants import Permission, grant_permission, revoke_permission
from skills.models import AuditEvent, PermissionGrant, SkillJob
from tests.agents.cards import conversation_of
from tests.agents.reminder_orders import (
    DAILY,
    NOTE,
    PERMISSION,
    actions,
    later,
    order,
    page,
    run_now,
)
from tests.threads import both_at_once

pytestmark = [pytest.mark.django_db, pytest.mark.both]


@pytest.fixture
def grant(alice: User) -> PermissionGrant:
    return grant_permission(page(alice), PERMISSION)


# --- Ordering ---


@pytest.mark.parametrize("when", [{}, {"scheduled_at": None, "recurrence": DAILY}])
def test_what_comes_with_the_same_key_again_is_ordered_already(
    alice: User, guide: Agent, grant: PermissionGrant, when: dict[str, Any]
) -> None:
    wanted = order(guide, key="once", **when)
    first = create_background_job(page(alice), wanted)
    events = actions()
    revoke_permission(page(alice), PERMISSION)
    assert create_background_job(page(alice), wanted) == first
    assert (Job.objects.get(), actions()) == (first, events)


@pytest.mark.parametrize("change", ["note", "scheduled_at", "recurrence", "agent_id"])
def test_another_order_with_the_same_key_is_made_too_and_once(
    alice: User, guide: Agent, grant: PermissionGrant, change: str
) -> None:
    other = Agent.objects.create(slug="other", name="Other")
    first = order(guide, key="once")
    changes: dict[str, dict[str, Any]] = {
        "note": {"note": "another"},
        "scheduled_at": {"scheduled_at": later(hours=2)},
        "recurrence": {"scheduled_at": None, "recurrence": DAILY},
        "agent_id": {"agent_id": other.pk},
    }
    second = replace(first, **changes[change])
    made = [create_background_job(page(alice), one) for one in (first, second, second, first)]
    assert made[0] != made[1]
    assert made[2:] == [made[1], made[0]]
    assert set(Job.objects.all()) == set(made)


def test_of_a_series_whose_jobs_are_purged_the_key_is_free(
    alice: User, guide: Agent, grant: PermissionGrant
) -> None:
    wanted = order(guide, key="once", scheduled_at=None, recurrence=DAILY)
    first = create_background_job(page(alice), wanted)
    end_background_series(page(alice), first.pk)
    Job.objects.all().delete()
    again = create_background_job(page(alice), wanted)
    assert again.series_id != first.series_id
    assert create_background_job(page(alice), wanted) == again


def test_the_key_of_one_person_is_free_for_another(
    alice: User, bob: User, guide: Agent, grant: PermissionGrant
) -> None:
    grant_permission(page(bob), PERMISSION)
    mine = create_background_job(page(alice), order(guide, key="once"))
    assert create_background_job(page(bob), order(guide, key="once")) != mine


@pytest.mark.django_db(transaction=True)
def test_two_at_once_with_one_key_are_one(
    alice: User, guide: Agent, grant: PermissionGrant
) -> None:
    wanted = order(guide, key="once")

    def make() -> Job:
        return create_background_job(page(alice), wanted)

    assert set(both_at_once(make, make)) == {Job.objects.get()}


def test_what_is_ordered_is_kept_with_its_version_and_its_grant(
    alice: User, guide: Agent, grant: PermissionGrant
) -> None:
    conversation = conversation_of(alice, guide)
    due = later(days=3)
    job = create_background_job(page(alice), order(guide, scheduled_at=due))
    assert (job.kind, job.owner, job.status, job.max_attempts) == (CHECK_IN, alice, "scheduled", 3)
    assert job.scheduled_at == due
    assert job.payload == {
        "agent_id": str(guide.pk),
        "agent_name": "Guide",
        "conversation_id": str(conversation.pk),
        "note": NOTE,
    }
    kept = SkillJob.objects.get()
    assert (kept.job, kept.series, kept.skill_id, kept.version) == (job, None, CHECK_IN, "1.0.0")
    assert (kept.user, kept.agent_id, kept.conversation_id) == (alice, guide.pk, conversation.pk)
    assert kept.grant_ids == [str(grant.pk)]
    assert actions() == [("job.created", "succeeded"), ("policy.decided", "allowed")]
    for event in AuditEvent.objects.exclude(action__startswith="grant."):
        assert (event.skill, event.skill_version) == (CHECK_IN, "1.0.0")
        assert event.target_id == str(job.pk)
    assert "zanzibar" not in str(AuditEvent.objects.values())


def nothing_was_made() -> bool:
    made = (Job, JobSeries, SkillJob, Conversation)
    return not any(rows.objects.exists() for rows in made)


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ({"skill_id": "nothing-such"}, "unknown_skill"),
        ({"skill_id": "memory-recall"}, "skill_not_background"),
        ({"agent_id": uuid7()}, "agent_not_found"),
        ({"scheduled_at": None}, "one_time_or_recurrence"),
        ({"recurrence": DAILY}, "one_time_or_recurrence"),
        ({"scheduled_at": lambda: later(seconds=50)}, "too_soon"),
        ({"scheduled_at": lambda: later(hours=-1)}, "too_soon"),
        ({"scheduled_at": lambda: later(days=367)}, "too_late"),
        ({"note": "x" * 501}, "too_long"),
        ({"note": "a\0b"}, "invalid"),
        ({"note": "a\ud800b"}, "invalid"),
        (
            {"scheduled_at": None, "recurrence": {**DAILY, "cron": "every day"}},
            "job_recurrence_invalid",
        ),
        (
            {"scheduled_at": None, "recurrence": {**DAILY, "zone": "Mars/Olympus"}},
            "job_recurrence_invalid",
        ),
        ({"scheduled_at": None, "recurrence": {**DAILY, "cron": "0 8 29 2 *"}}, "too_late"),
        ({"scheduled_at": None, "recurrence": {**DAILY, "cron": "* * * * *"}}, "too_often"),
        ({"scheduled_at": None, "recurrence": {**DAILY, "cron": "0,14 9 * * *"}}, "too_often"),
        ({"scheduled_at": None, "recurrence": {**DAILY, "cron": "*/10 8 * * 1"}}, "too_often"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_refused_says_why_by_a_code_and_leaves_nothing(
    alice: User, guide: Agent, grant: PermissionGrant, facts: dict[str, Any], code: str
) -> None:
    told = {name: value() if callable(value) else value for name, value in facts.items()}
    with pytest.raises(GatehouseError) as refused:
        create_background_job(page(alice), order(guide, **told))
    assert refused.value.code == code
    assert refused.value.message
    assert nothing_was_made()
    assert actions() == []


@pytest.mark.parametrize(("seconds", "code"), [(50, "too_soon"), (62, "")])
def test_the_first_of_a_series_is_a_minute_ahead_too(
    alice: User, guide: Agent, grant: PermissionGrant, monkeypatch: Any, seconds: int, code: str
) -> None:
    now = datetime(2026, 12, 1, 0, 30, tzinfo=UTC) - timedelta(seconds=seconds)
    monkeypatch.setattr("skills.background.services.database_now", lambda: now)
    wanted = order(guide, scheduled_at=None, recurrence=DAILY)
    if not code:
        check_order(page(alice), wanted)
        return
    with pytest.raises(GatehouseError) as refused:
        check_order(page(alice), wanted)
    assert refused.value.code == code


@pytest.mark.parametrize("ahead", [{"seconds": 62}, {"days": 365}], ids=str)
def test_a_minute_and_a_year_ahead_are_ahead_enough(
    alice: User, guide: Agent, grant: PermissionGrant, ahead: dict[str, int]
) -> None:
    assert create_background_job(page(alice), order(guide, scheduled_at=later(**ahead)))


def test_without_the_permission_nothing_is_made_and_it_is_on_record(
    alice: User, guide: Agent
) -> None:
    with pytest.raises(GatehouseError) as refused:
        create_background_job(page(alice), order(guide))
    assert (refused.value.code, refused.value.http_status) == ("permission_missing", 403)
    assert "/skills/" in refused.value.message
    assert nothing_was_made()
    [event] = AuditEvent.objects.all()
    assert (event.action, event.outcome, event.reason_code) == (
        "policy.decided",
        "denied",
        "permission_missing",
    )
    assert event.metadata["missing"] == ["proactive_message:write"]


def test_nor_while_the_skill_is_off(alice: User, guide: Agent, grant: PermissionGrant) -> None:
    switch_skill(page(alice), CHECK_IN, enabled=False)
    with pytest.raises(GatehouseError) as refused:
        create_background_job(page(alice), order(guide))
    assert refused.value.code == "skill_disabled"
    switch_skill(page(alice), CHECK_IN, enabled=True, agent_id=guide.pk)
    assert create_background_job(page(alice), order(guide))


def test_a_permission_for_one_agent_is_none_for_another(alice: User, guide: Agent) -> None:
    other = Agent.objects.create(slug="other", name="Other")
    for_one = Permission(skill_id=CHECK_IN, code=PERMISSION.code, agent_id=guide.pk)
    grant_permission(page(alice), for_one)
    assert create_background_job(page(alice), order(guide))
    with pytest.raises(GatehouseError) as refused:
        create_background_job(page(alice), order(other))
    assert refused.value.code == "permission_missing"


def test_nobody_has_more_than_so_many(
    alice: User, guide: Agent, grant: PermissionGrant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requesting, "MOST_WAITING", 1)
    create_background_job(page(alice), order(guide))
    with pytest.raises(GatehouseError) as refused:
        create_background_job(page(alice), order(guide))
    assert refused.value.code == "job_too_many"


# --- Cancelling ---


def test_cancelled_before_it_runs_it_never_does(
    alice: User, guide: Agent, grant: PermissionGrant
) -> None:
    job = create_background_job(page(alice), order(guide))
    assert cancel_background_job(page(alice), job.pk).status == JobStatus.CANCELLED
    assert run_due_jobs() == []
    event = AuditEvent.objects.get(action="job.cancelled")
    assert (event.outcome, event.skill, event.skill_version) == ("cancelled", CHECK_IN, "1.0.0")
    with pytest.raises(JobFinished):
        cancel_background_job(page(alice), job.pk)


def test_nobody_else_cancels_it(
    alice: User, bob: User, operator: User, guide: Agent, grant: PermissionGrant
) -> None:
    job = create_background_job(page(alice), order(guide))
    for user in (bob, operator):
        with pytest.raises(NotFound):
            cancel_background_job(page(user), job.pk)
    other = enqueue("housekeeping.jobs", actor=page(alice), scheduled_at=later())
    with pytest.raises(NotFound):
        cancel_background_job(page(alice), other.pk)
    assert not AuditEvent.objects.filter(action="job.cancelled").exists()


# --- Series ---


def test_a_recurring_one_is_judged_at_each_of_its_times(
    alice: User, guide: Agent, grant: PermissionGrant
) -> None:
    recurring = order(guide, scheduled_at=None, recurrence=DAILY)
    first = create_background_job(page(alice), recurring)
    kept = SkillJob.objects.get()
    assert (kept.job, kept.series, kept.grant_ids) == (None, first.series, [str(grant.pk)])
    assert run_now(first).status == JobStatus.COMPLETED
    second = Job.objects.waiting().get()
    assert second.series == first.series
    revoke_permission(page(alice), PERMISSION)
    ran = run_now(second)
    assert (ran.status, ran.last_error_code) == (JobStatus.FAILED, "permission_missing")
    assert Message.objects.filter(role="reminder").count() == 1


def test_one_of_its_times_is_left_out_and_the_series_goes_on(
    alice: User, guide: Agent, grant: PermissionGrant
) -> None:
    job = create_background_job(page(alice), order(guide, scheduled_at=None, recurrence=DAILY))
    cancelled = cancel_background_job(page(alice), job.pk)
    following = Job.objects.waiting().get()
    assert cancelled.scheduled_at is not None
    assert following.scheduled_at == cancelled.scheduled_at + timedelta(days=1)
    event = AuditEvent.objects.get(action="job.cancelled")
    assert (event.outcome, event.reason_code, event.target_id) == ("cancelled", "", str(job.pk))
    assert (event.skill, event.skill_version) == (CHECK_IN, "1.0.0")
    with pytest.raises(JobFinished):
        cancel_background_job(page(alice), job.pk)
    assert Job.objects.waiting().count() == 1
    assert run_now(following).status == JobStatus.COMPLETED
    assert Job.objects.waiting().count() == 1


def test_the_whole_series_is_ended_at_any_of_its_times(
    alice: User, bob: User, guide: Agent, grant: PermissionGrant
) -> None:
    first = create_background_job(page(alice), order(guide, scheduled_at=None, recurrence=DAILY))
    alone = create_background_job(page(alice), order(guide))
    run_now(first)
    with pytest.raises(NotFound):
        end_background_series(page(bob), first.pk)
    with pytest.raises(NotRecurring):
        end_background_series(page(alice), alone.pk)
    for _twice in range(2):
        end_background_series(page(alice), first.pk)
    assert list(Job.objects.waiting()) == [alone]
    assert AuditEvent.objects.filter(action="job_series.ended").count() == 1
    event = AuditEvent.objects.get(action="job.cancelled")
    assert (event.reason_code, event.skill) == ("series_ended", CHECK_IN)
    first.refresh_from_db()
    assert first.status == JobStatus.COMPLETED


def test_ending_the_series_is_on_record_as_the_skills(
    alice: User, guide: Agent, grant: PermissionGrant
) -> None:
    recurring = order(guide, scheduled_at=None, recurrence=DAILY)
    job = create_background_job(page(alice), recurring)
    assert job.series_id
    end_series(page(alice), job.series_id)
    skills = AuditEvent.objects.filter(skill=CHECK_IN, skill_version="1.0.0")
    assert set(skills.values_list("action", flat=True)) >= {
        "job_series.created",
        "job_series.ended",
        "job.cancelled",
    }
