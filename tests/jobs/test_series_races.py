"""Many workers plan at once, or one of them many times: each slot is there once."""

import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from functools import partial
from threading import Event

import pytest
from django.db import transaction
from pytest_django import DjangoAssertNumQueries

from config.base.errors import NotFound
from config.base.models import User
from jobs import services
from jobs.claiming import claim_due_jobs
from jobs.enums import CancelReason, JobStatus
from jobs.models import Job, JobSeries, MissedSlots
from jobs.services.planning import unplanned_series
from jobs.services.turning_away import turn_away
from jobs.testing import NoHold, make_due, run_due_jobs
from jobs.worker.execution import execute
from tests.jobs.recurring import DAY, HOUR, Noting, be_off, in_an_hour, noting, person, plan_of
from tests.plans import analyze, assert_uses_index
from tests.threads import PATIENCE_SECONDS, both_at_once

pytestmark = [pytest.mark.both]


@pytest.fixture(autouse=True)
def noted() -> Iterator[list[datetime | None]]:
    with noting() as found:
        yield found


def make(user: User) -> JobSeries:
    return services.create_series(Noting.kind, actor=person(user), cron=in_an_hour())


def plan_after(job: Job) -> bool:
    with transaction.atomic():
        return services.plan_next_of(job)


@pytest.mark.django_db(transaction=True)
def test_of_two_that_plan_the_next_one_does(alice: User) -> None:
    series = make(alice)
    be_off(series, 3 * DAY)
    first = plan_of(series)
    planned = both_at_once(*[lambda: plan_after(first)] * 2)
    assert sorted(planned) == [False, True]
    assert Job.objects.filter(series=series).count() == 2
    assert MissedSlots.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_nets_plan_each_series_once(alice: User) -> None:
    every = [make(alice) for _ in range(5)]
    Job.objects.all().delete()
    assert sum(both_at_once(*[services.plan_missing_jobs] * 2)) >= 5
    assert all(plan_of(series) for series in every)


@pytest.mark.django_db(transaction=True)
def test_a_pause_and_a_planning_at_once_leave_no_plan(alice: User) -> None:
    for _ in range(5):
        series = make(alice)
        both_at_once(partial(pause, alice, series), partial(cancel, alice, plan_of(series)))
        assert not Job.objects.waiting().filter(series=series).exists()
        assert services.plan_missing_jobs() == 0


@pytest.mark.django_db(transaction=True)
def test_what_is_about_to_begin_waits_for_a_pause_and_is_turned_away(
    alice: User, noted: list[datetime | None]
) -> None:
    series = make(alice)
    make_due(plan_of(series))
    (job,) = claim_due_jobs("worker", limit=1)
    is_paused = Event()

    def pause_slowly() -> None:
        with transaction.atomic():
            pause(alice, series)
            is_paused.set()
            time.sleep(0.5)  # the worker looks meanwhile

    def begin() -> None:
        assert is_paused.wait(PATIENCE_SECONDS)
        execute(job, NoHold())

    both_at_once(pause_slowly, begin)
    job.refresh_from_db()
    assert (job.status, job.attempts) == (JobStatus.CANCELLED, 0)
    assert job.last_error_code == CancelReason.SERIES_STOPPED
    assert noted == []


@pytest.mark.django_db(transaction=True)
def test_a_pause_waits_for_what_has_just_begun(
    alice: User, noted: list[datetime | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    series = make(alice)
    make_due(plan_of(series))
    (job,) = claim_due_jobs("worker", limit=1)
    begins = Event()
    is_paused = Event()

    def look(_handler: Noting, _job: Job, _payload: object) -> None:
        begins.set()
        assert not is_paused.wait(0.3)

    monkeypatch.setattr(Noting, "check_permission", look)

    def pause_then() -> None:
        assert begins.wait(PATIENCE_SECONDS)
        pause(alice, series)
        is_paused.set()

    both_at_once(lambda: execute(job, NoHold()), pause_then)
    job.refresh_from_db()
    assert (job.status, len(noted)) == (JobStatus.COMPLETED, 1)
    assert not Job.objects.waiting().filter(series=series).exists()


def pause(user: User, series: JobSeries) -> None:
    services.pause_series(person(user), series.pk)


def cancel(user: User, job: Job) -> None:
    with suppress(NotFound):  # the pause was first
        services.cancel_job(person(user), job.pk)


@pytest.mark.django_db
@pytest.mark.parametrize("times", [1, 2, 5])
def test_planning_any_number_of_times_is_once(alice: User, times: int) -> None:
    series = make(alice)
    be_off(series, 3 * DAY)
    first = plan_of(series)
    assert [plan_after(first) for _ in range(times)] == [True] + [False] * (times - 1)
    assert Job.objects.filter(series=series).count() == 2
    assert MissedSlots.objects.count() == 1


@pytest.mark.django_db
def test_an_old_job_that_is_tried_again_plans_nothing(alice: User) -> None:
    series = make(alice)
    first = plan_of(series)
    make_due(first)
    run_due_jobs()
    second = plan_of(series)
    assert not plan_after(first)
    assert plan_of(series) == second


@pytest.mark.django_db
def test_a_job_of_no_series_costs_no_query(
    alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    job = services.enqueue(Noting.kind, actor=person(alice))
    with django_assert_num_queries(0):
        services.plan_next_of(job)
        turn_away(job)


@pytest.mark.django_db
def test_the_net_is_one_query_when_nothing_is_missing(
    alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make(alice)
    with django_assert_num_queries(1):
        assert services.plan_missing_jobs() == 0


@pytest.mark.django_db
def test_the_net_reads_active_series_and_their_newest_jobs_by_index(alice: User) -> None:
    series = make(alice)
    ended = series.created_at
    JobSeries.objects.bulk_create(
        JobSeries(kind=f"test.{n % 50}", cron="0 9 * * *", ended_at=ended) for n in range(3000)
    )
    job = plan_of(series)
    assert job.planned_at
    Job.objects.bulk_create(
        Job(
            kind=Noting.kind,
            series=series,
            status=JobStatus.COMPLETED,
            scheduled_at=job.planned_at,
            planned_at=job.planned_at - n * HOUR,
            finished_at=ended,
        )
        for n in range(1, 3000)
    )
    analyze(JobSeries, Job)
    assert_uses_index(unplanned_series(), "series_active", "one_job_per_planned_time")
