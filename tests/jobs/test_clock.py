"""Machines disagree about the time: nothing but the database's clock decides."""

import time
from datetime import UTC, datetime, timedelta

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from config.base.clock import as_datetime, database_now
from config.base.models import User
from jobs.backlog import queue_age_seconds
from jobs.claiming import claim_due_jobs, work_waits
from jobs.enums import JobStatus
from jobs.models import Job
from jobs.renewal import renew_leases
from jobs.services import cancel_job, enqueue, recover_lost_jobs, run_job_now
from jobs.waking import answer_wake, wake
from tests.jobs.factories import JobFactory
from tests.jobs.handlers import KIND, Script
from tests.jobs.steps import actor_of, claim_and_start, claim_one, expire, run, stored

pytestmark = [pytest.mark.both, pytest.mark.django_db]

S = JobStatus
DAYS = timedelta(days=3)


@pytest.fixture(params=[DAYS, -DAYS], ids=["three days ahead", "three days behind"])
def wrong_clock(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> timedelta:
    """This machine's; call before anything reads it."""
    shift: timedelta = request.param
    now, seconds = timezone.now, time.time
    monkeypatch.setattr(timezone, "now", lambda: now() + shift)
    monkeypatch.setattr(time, "time", lambda: seconds() + shift.total_seconds())
    return shift


def is_between(field: str, least: float, most: float) -> bool:
    """The one job's time, in seconds from the database's now."""
    after, until = Now() + timedelta(seconds=least), Now() + timedelta(seconds=most)
    return Job.objects.filter(**{f"{field}__gt": after, f"{field}__lte": until}).exists()


def at(seconds: float) -> dict[str, datetime]:
    moment = database_now() + timedelta(seconds=seconds)
    return {"scheduled_at": moment, "next_attempt_at": moment}


def test_what_is_due_and_what_is_not(wrong_clock: timedelta) -> None:
    due = JobFactory.create(**at(-1))
    JobFactory.create(**at(60))
    assert work_waits()
    assert claim_due_jobs("worker", limit=20) == [due]
    assert not work_waits()


def test_how_long_a_lease_lasts(wrong_clock: timedelta, script: Script) -> None:
    JobFactory.create(**at(-1))
    job = claim_and_start()
    assert is_between("lease_expires_at", 60, 120)
    assert is_between("started_at", -60, 0)
    assert recover_lost_jobs() == 0
    expire(job)
    assert work_waits()
    renew_leases([job])
    assert is_between("lease_expires_at", 60, 120)
    assert recover_lost_jobs() == 0
    expire(job)
    assert recover_lost_jobs() == 1


def test_when_a_failure_is_tried_again(wrong_clock: timedelta, script: Script) -> None:
    JobFactory.create(**at(-1))
    script.fail_with(ValueError())
    run(claim_one())
    assert is_between("next_attempt_at", 240, 330)
    assert claim_due_jobs("worker", limit=1) == []


def test_when_something_unknown_is_tried_again(wrong_clock: timedelta, script: Script) -> None:
    JobFactory.create(kind="test.unknown", **at(-1))
    assert run(claim_one()).status == S.RETRYING
    assert is_between("next_attempt_at", 1, 60)
    assert is_between("unknown_since", -60, 0)
    Job.objects.update(next_attempt_at=Now())
    assert run(claim_one()).status == S.RETRYING


def test_when_a_new_job_is_due(wrong_clock: timedelta, script: Script, ticks: list[str]) -> None:
    enqueue(KIND, actor=None)
    assert is_between("next_attempt_at", -60, 0)
    assert run(claim_one()).status == S.COMPLETED
    assert is_between("finished_at", -60, 0)


def test_what_people_decide(
    wrong_clock: timedelta, operator: User, script: Script, ticks: list[str]
) -> None:
    job = JobFactory.create(**at(3600))
    run_job_now(actor_of(operator), job.pk)
    assert is_between("next_attempt_at", -60, 0)
    cancel_job(actor_of(operator), job.pk)
    assert is_between("finished_at", -60, 0)


def test_how_old_the_queue_is(wrong_clock: timedelta) -> None:
    assert queue_age_seconds() is None
    JobFactory.create(**at(-100))
    JobFactory.create(**at(-40))
    age = queue_age_seconds()
    assert age is not None
    assert 100 <= age < 160


def test_for_how_long_a_wake_up_is_under_way(wrong_clock: timedelta, ticks: list[str]) -> None:
    wake()
    wake()
    assert len(ticks) == 1
    answer_wake()
    wake()
    assert len(ticks) == 2


def test_the_databases_clock_has_a_zone_and_goes_forward() -> None:
    first, second = database_now(), database_now()
    assert first.tzinfo is not None
    assert timedelta(0) <= second - first < timedelta(minutes=1)


def test_it_says_the_same_as_djangos_own_now() -> None:
    job = JobFactory.create(running=True)
    Job.objects.update(started_at=Now())
    started = stored(job).started_at
    assert started is not None
    assert abs(started - database_now()) < timedelta(minutes=1)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, None),
        ("2026-02-28 23:59:59.123", datetime(2026, 2, 28, 23, 59, 59, 123000, UTC)),
        (datetime(2026, 2, 28), datetime(2026, 2, 28, tzinfo=UTC)),  # noqa: DTZ001 (as SQLite's)
        (datetime(2026, 2, 28, tzinfo=UTC), datetime(2026, 2, 28, tzinfo=UTC)),
    ],
)
def test_a_time_is_read_in_each_form_in_which_a_database_gives_it(
    given: datetime | str | None, expected: datetime | None
) -> None:
    assert as_datetime(given) == expected


def test_what_is_no_time_is_refused() -> None:
    with pytest.raises(ValueError, match="is no time"):
        as_datetime("yesterday")
