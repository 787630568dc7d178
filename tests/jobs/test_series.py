"""Series: made, paused and ended by their owners; one job of each is planned at a time."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import Permission

from config.base.actor import Actor
from config.base.clock import database_now
from config.base.errors import GatehouseError, NotFound, NotPermitted
from config.base.models import User
from jobs import services
from jobs.enums import JobStatus, MissedPolicy
from jobs.errors import (
    InvalidPayload,
    InvalidRecurrence,
    PermanentFailure,
    SeriesEnded,
    UnknownKind,
)
from jobs.models import Job, JobSeries, MissedSlots
from jobs.services import planning
from jobs.services.enqueue import plan_job
from jobs.testing import make_due, run_due_jobs
from skills.models import AuditEvent
from tests.factories import UserFactory
from tests.jobs.recurring import DAY, HOUR, Noting, in_an_hour, noting, person, plan_of

pytestmark = [pytest.mark.django_db, pytest.mark.both]

type Decision = Callable[[Actor, UUID], JobSeries]
DECISIONS: list[Decision] = [
    services.pause_series,
    services.resume_series,
    services.end_series,
]


@pytest.fixture(autouse=True)
def noted() -> Iterator[list[datetime | None]]:
    with noting() as found:
        yield found


@pytest.fixture
def series(alice: User) -> JobSeries:
    return services.create_series(Noting.kind, actor=person(alice), cron=in_an_hour())


def events_of(series: JobSeries) -> list[str]:
    rows = AuditEvent.objects.filter(target_id=str(series.pk)).order_by("id")
    return list(rows.values_list("action", flat=True))


def make_operator(permission: str) -> User:
    user = UserFactory.create(is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename=permission))
    return User.objects.get(pk=user.pk)


# --- Making one ---


def test_its_first_job_is_planned_at_once(alice: User) -> None:
    made = services.create_series(
        Noting.kind,
        {"words": "hello"},
        actor=person(alice),
        cron="  30   2 * * * ",
        zone="Europe/Berlin",
        missed_policy=MissedPolicy.SKIP,
        priority=7,
    )
    series, job = JobSeries.objects.get(pk=made.pk), plan_of(made)
    assert (series.owner, series.cron, series.zone) == (alice, "30 2 * * *", "Europe/Berlin")
    assert (job.owner, job.payload, job.priority) == (alice, {"words": "hello"}, 7)
    assert job.planned_at == job.scheduled_at == job.next_attempt_at == series.planned_until
    assert events_of(series) == ["job_series.created"]


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"kind": "test.gone"}, UnknownKind),
        ({"payload": {"wörds": ""}}, InvalidPayload),
        ({"cron": "* * * * * *"}, InvalidRecurrence),
        ({"cron": "0 0 30 2 *"}, InvalidRecurrence),
        ({"zone": "Mars/Olympus"}, InvalidRecurrence),
    ],
)
def test_what_can_not_be_planned_is_refused(
    alice: User, changes: dict[str, Any], error: type[GatehouseError]
) -> None:
    asked = {"kind": Noting.kind, "payload": {}, "cron": "0 9 * * *", "zone": "UTC", **changes}
    with pytest.raises(error):
        services.create_series(**asked, actor=person(alice))
    assert not JobSeries.objects.exists()


def test_one_without_permission_is_refused(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Noting, "is_permitted", False)
    with pytest.raises(PermanentFailure):
        services.create_series(Noting.kind, actor=person(alice), cron="0 9 * * *")
    assert not JobSeries.objects.exists()


# --- Going on ---


def test_the_next_one_is_planned_as_one_begins(
    series: JobSeries, noted: list[datetime | None]
) -> None:
    first = plan_of(series)
    make_due(first)
    run_due_jobs()
    assert noted == [first.planned_at]
    second = plan_of(series)
    assert first.planned_at
    assert second.planned_at == first.planned_at + DAY
    assert not MissedSlots.objects.exists()


def test_one_that_fails_keeps_its_tries_beside_the_next(
    series: JobSeries, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Noting, "fails", True)
    first = plan_of(series)
    for _ in range(3):
        make_due(first)
        run_due_jobs()
    assert Job.objects.get(pk=first.pk).status == JobStatus.FAILED
    assert Job.objects.filter(series=series).count() == 2
    assert first.planned_at
    assert plan_of(series).planned_at == first.planned_at + DAY


def test_one_that_may_not_run_fails_and_the_next_is_planned(
    series: JobSeries, monkeypatch: pytest.MonkeyPatch, noted: list[datetime | None]
) -> None:
    monkeypatch.setattr(Noting, "is_permitted", False)
    first = plan_of(series)
    make_due(first)
    run_due_jobs()
    assert Job.objects.get(pk=first.pk).status == JobStatus.FAILED
    assert noted == []
    assert plan_of(series).pk != first.pk


def test_the_next_one_is_planned_as_one_is_cancelled(series: JobSeries, alice: User) -> None:
    first = plan_of(series)
    services.cancel_job(person(alice), first.pk)
    assert first.planned_at
    assert plan_of(series).planned_at == first.planned_at + DAY


# --- Deciding about one ---


def test_a_paused_one_has_no_plan_until_it_goes_on(series: JobSeries, alice: User) -> None:
    planned = plan_of(series).planned_at
    services.pause_series(person(alice), series.pk)
    assert not Job.objects.filter(series=series).exists()
    assert services.plan_missing_jobs() == 0
    services.resume_series(person(alice), series.pk)
    assert plan_of(series).planned_at == planned
    assert events_of(series) == ["job_series.created", "job_series.paused", "job_series.resumed"]


def test_what_lay_in_a_pause_was_not_missed(series: JobSeries, alice: User) -> None:
    services.pause_series(person(alice), series.pk)
    JobSeries.objects.filter(pk=series.pk).update(planned_until=database_now() - 5 * DAY)
    services.resume_series(person(alice), series.pk)
    planned = plan_of(series).planned_at
    assert planned
    assert planned > database_now()
    assert not MissedSlots.objects.exists()


def test_a_time_that_was_cancelled_stays_so_after_a_pause(series: JobSeries, alice: User) -> None:
    first = plan_of(series)
    services.cancel_job(person(alice), first.pk)
    services.pause_series(person(alice), series.pk)
    services.resume_series(person(alice), series.pk)
    assert first.planned_at
    assert plan_of(series).planned_at == first.planned_at + DAY


def test_what_has_begun_goes_on_in_a_pause(
    series: JobSeries, alice: User, monkeypatch: pytest.MonkeyPatch, noted: list[datetime | None]
) -> None:
    first = plan_of(series)
    make_due(first)
    with monkeypatch.context() as broken:
        broken.setattr(Noting, "fails", True)
        run_due_jobs()
    services.pause_series(person(alice), series.pk)
    make_due(first)
    run_due_jobs()
    assert noted == [first.planned_at]
    assert not Job.objects.waiting().filter(series=series).exists()


def test_an_ended_one_cancels_what_waits(series: JobSeries, alice: User) -> None:
    first = plan_of(series)
    services.end_series(person(alice), series.pk)
    job = Job.objects.get(series=series)
    assert (job.pk, job.status, job.last_error_code) == (
        first.pk,
        JobStatus.CANCELLED,
        "series_ended",
    )
    assert job.finished_at
    assert job.revision > first.revision
    assert services.plan_missing_jobs() == 0
    assert events_of(series) == ["job_series.created", "job_series.ended"]
    event = AuditEvent.objects.get(action="job.cancelled", target_id=str(job.pk))
    assert (event.reason_code, event.actor) == ("series_ended", "user")


@pytest.mark.parametrize("decide", [services.pause_series, services.end_series])
def test_twice_is_once(series: JobSeries, alice: User, decide: Decision) -> None:
    decide(person(alice), series.pk)
    before = JobSeries.objects.values().get(pk=series.pk)
    decide(person(alice), series.pk)
    assert JobSeries.objects.values().get(pk=series.pk) == before
    assert len(events_of(series)) == 2


def test_going_on_without_a_pause_changes_nothing(series: JobSeries, alice: User) -> None:
    first = plan_of(series)
    services.resume_series(person(alice), series.pk)
    assert plan_of(series) == first
    assert events_of(series) == ["job_series.created"]


@pytest.mark.parametrize("decide", [services.pause_series, services.resume_series])
def test_an_ended_one_stays_ended(series: JobSeries, alice: User, decide: Decision) -> None:
    services.end_series(person(alice), series.pk)
    with pytest.raises(SeriesEnded):
        decide(person(alice), series.pk)


@pytest.mark.parametrize("decide", DECISIONS)
def test_what_is_not_yours_does_not_exist(series: JobSeries, bob: User, decide: Decision) -> None:
    with pytest.raises(NotFound):
        decide(person(bob), series.pk)
    assert events_of(series) == ["job_series.created"]


@pytest.mark.parametrize("decide", DECISIONS)
def test_whoever_may_only_look_is_told_so(series: JobSeries, decide: Decision) -> None:
    looker = make_operator("view_jobseries")
    with pytest.raises(NotPermitted):
        decide(person(looker), series.pk)


def test_operators_decide_about_everybodys(series: JobSeries, operator: User) -> None:
    services.end_series(person(operator), series.pk)
    assert not JobSeries.objects.get(pk=series.pk).is_active


# --- The net ---


def test_the_net_plans_what_is_missing_and_nothing_twice(series: JobSeries) -> None:
    planned = plan_of(series).planned_at
    Job.objects.filter(series=series).delete()
    assert services.plan_missing_jobs() == 1
    assert services.plan_missing_jobs() == 0
    assert planned
    assert plan_of(series).planned_at == planned + DAY


def test_the_net_leaves_a_job_that_was_claimed_to_its_worker(series: JobSeries) -> None:
    first = plan_of(series)
    Job.objects.filter(pk=first.pk).update(
        status=JobStatus.RUNNING,
        next_attempt_at=None,
        lease_owner="worker",
        lease_expires_at=database_now() + HOUR,
    )
    assert services.plan_missing_jobs() == 0


@pytest.mark.parametrize("broken", [{"kind": "test.gone"}, {"zone": "Mars/Olympus"}])
def test_a_series_that_can_not_be_planned_stops_no_other(
    series: JobSeries, alice: User, broken: dict[str, str]
) -> None:
    other = services.create_series(Noting.kind, actor=person(alice), cron="0 9 * * *")
    Job.objects.filter(series__in=[series, other]).delete()
    JobSeries.objects.filter(pk=series.pk).update(**broken)
    assert services.plan_missing_jobs() == 1
    assert plan_of(other)


def test_an_error_nobody_foresaw_stops_no_other_series(
    series: JobSeries,
    alice: User,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    other = services.create_series(Noting.kind, actor=person(alice), cron="0 9 * * *")
    Job.objects.filter(series__in=[series, other]).delete()
    plan = plan_job

    def fail_once(series_: JobSeries, planned_at: datetime) -> None:
        if series_ == series:
            raise RuntimeError
        plan(series_, planned_at)

    monkeypatch.setattr(planning, "plan_job", fail_once)
    assert services.plan_missing_jobs() == 1
    assert plan_of(other)
    assert f"series {series.pk} can't be planned" in caplog.text
    monkeypatch.undo()
    assert services.plan_missing_jobs() == 1  # nothing of the failed turn was kept


@pytest.mark.parametrize("broken", [{"kind": "test.gone"}, {"zone": "Mars/Olympus"}])
def test_a_job_whose_series_can_not_be_planned_still_runs(
    series: JobSeries, broken: dict[str, str], noted: list[datetime | None]
) -> None:
    first = plan_of(series)
    JobSeries.objects.filter(pk=series.pk).update(**broken)
    make_due(first)
    run_due_jobs()
    assert noted == [first.planned_at]


def test_the_series_of_somebody_who_may_not_sign_in_rests(alice: User) -> None:
    """Or it would fail at each of its times."""
    series = services.create_series(Noting.kind, {}, actor=person(alice), cron="* * * * *")
    User.objects.filter(pk=alice.pk).update(is_active=False)
    job = Job.objects.get(series=series)
    make_due(job)
    (ran,) = run_due_jobs()
    series.refresh_from_db()
    assert (ran.last_error_code, series.is_active) == ("job_owner_inactive", False)
    assert not Job.objects.waiting().filter(series=series).exists()
    assert AuditEvent.objects.filter(action="job_series.paused", actor="system").count() == 1
