"""A worker that was off for three days: what it missed is written down, once, and by policy the
slot that waited runs late or is skipped."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import pytest

from config.base.clock import database_now
from config.base.models import User
from jobs import services
from jobs.enums import JobStatus, MissedPolicy
from jobs.models import Job, JobAttempt, JobSeries, MissedSlots
from jobs.testing import make_due, run_due_jobs
from skills.models import AuditEvent
from tests.jobs.recurring import DAY, HOUR, Noting, be_off, in_an_hour, noting, person, plan_of

pytestmark = [pytest.mark.django_db, pytest.mark.both]

RUN_ONCE, SKIP = MissedPolicy.RUN_ONCE, MissedPolicy.SKIP
OUTAGE = 3 * DAY

type Cron = Callable[[], str]


def daily() -> str:
    return in_an_hour()


def hourly() -> str:
    return f"{(database_now() + HOUR / 2).minute} * * * *"


def minutely() -> str:
    return "* * * * *"


@pytest.fixture(autouse=True)
def noted() -> Iterator[list[datetime | None]]:
    with noting() as found:
        yield found


def make(user: User, cron: str, policy: MissedPolicy) -> JobSeries:
    return services.create_series(Noting.kind, actor=person(user), cron=cron, missed_policy=policy)


# From the slot that waited, an hour or half an hour after the outage began: the days or hours
# after it, up to the one that is still to come.
AFTER = {daily: 2, hourly: 71}


@pytest.mark.parametrize("cron", [daily, hourly])
def test_the_slot_that_waited_runs_late_and_those_after_it_were_missed(
    alice: User, noted: list[datetime | None], cron: Cron
) -> None:
    series = make(alice, cron(), RUN_ONCE)
    step = {daily: DAY, hourly: HOUR}[cron]
    waited = be_off(series, OUTAGE)
    run_due_jobs()
    assert noted == [waited]
    [missed] = MissedSlots.objects.all()
    assert (missed.first_planned_at, missed.count, missed.is_more) == (
        waited + step,
        AFTER[cron],
        False,
    )
    assert missed.last_planned_at == waited + AFTER[cron] * step
    assert plan_of(series).planned_at == waited + OUTAGE


@pytest.mark.parametrize("cron", [daily, hourly])
def test_a_series_that_skips_runs_none_of_them(
    alice: User, noted: list[datetime | None], cron: Cron
) -> None:
    series = make(alice, cron(), SKIP)
    step = {daily: DAY, hourly: HOUR}[cron]
    waited = be_off(series, OUTAGE)
    late = plan_of(series)
    run_due_jobs()
    assert noted == []
    [missed] = MissedSlots.objects.all()
    assert (missed.first_planned_at, missed.count) == (waited, AFTER[cron] + 1)
    assert missed.last_planned_at == waited + AFTER[cron] * step
    assert plan_of(series).planned_at == waited + OUTAGE
    late = Job.objects.get(pk=late.pk)
    assert (late.status, late.last_error_code, late.attempts, late.started_at) == (
        JobStatus.CANCELLED,
        "slot_missed",
        0,
        None,
    )
    assert not JobAttempt.objects.exists()
    [event] = AuditEvent.objects.filter(action="job.cancelled")
    assert (event.outcome, event.reason_code, event.target_id) == (
        "cancelled",
        "slot_missed",
        str(late.pk),
    )


@pytest.mark.parametrize(("policy", "runs"), [(RUN_ONCE, 1), (SKIP, 0)])
def test_counting_stops_at_a_thousand(
    alice: User, noted: list[datetime | None], policy: MissedPolicy, runs: int
) -> None:
    series = make(alice, minutely(), policy)
    be_off(series, OUTAGE)
    run_due_jobs()
    assert len(noted) == runs
    [missed] = MissedSlots.objects.all()
    assert (missed.count, missed.is_more) == (1000, True)
    planned = plan_of(series).planned_at
    assert planned
    assert timedelta() < planned - database_now() <= timedelta(minutes=1)


@pytest.mark.parametrize(
    ("minutes", "runs"),
    [(70, True), (68, True), (75, False)],  # it was planned in 60 to 61
)
def test_ten_minutes_late_is_not_too_late(
    alice: User, noted: list[datetime | None], minutes: int, runs: bool
) -> None:
    series = make(alice, daily(), SKIP)
    waited = be_off(series, timedelta(minutes=minutes - 1))
    run_due_jobs()
    assert noted == ([waited] if runs else [])
    assert MissedSlots.objects.count() == (not runs)


def test_a_slot_whose_next_one_has_come_is_too_late(
    alice: User, noted: list[datetime | None]
) -> None:
    series = make(alice, minutely(), SKIP)
    be_off(series, timedelta(minutes=3))
    run_due_jobs()
    assert noted == []


def test_what_has_begun_is_never_too_late(
    alice: User, noted: list[datetime | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    series = make(alice, daily(), SKIP)
    first = plan_of(series)
    make_due(first)
    with monkeypatch.context() as broken:
        broken.setattr(Noting, "fails", True)
        run_due_jobs()
    Job.objects.filter(pk=first.pk).update(planned_at=database_now() - DAY / 2)
    make_due(first)
    run_due_jobs()
    assert len(noted) == 1


def test_a_job_claimed_before_a_pause_does_not_begin_in_it(
    alice: User, noted: list[datetime | None]
) -> None:
    series = make(alice, daily(), RUN_ONCE)
    make_due(plan_of(series))
    JobSeries.objects.filter(pk=series.pk).update(paused_at=database_now())
    run_due_jobs()
    assert noted == []
    assert Job.objects.get(series=series).last_error_code == "series_stopped"
    assert not MissedSlots.objects.exists()


def test_the_net_writes_an_outage_down_too(alice: User) -> None:
    series = make(alice, daily(), RUN_ONCE)
    waited = be_off(series, OUTAGE)
    Job.objects.filter(series=series).delete()
    assert services.plan_missing_jobs() == 1
    [missed] = MissedSlots.objects.all()
    assert (missed.first_planned_at, missed.count) == (waited + DAY, 2)
    assert plan_of(series).planned_at == waited + OUTAGE


def test_a_second_outage_is_a_second_row(alice: User) -> None:
    series = make(alice, daily(), RUN_ONCE)
    for days in (3, 2):
        be_off(series, days * DAY)
        run_due_jobs()
    assert [row.count for row in MissedSlots.objects.order_by("pk")] == [2, 1]
