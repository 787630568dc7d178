"""Holding a batch: what is renewed, what is given back, and when."""

import os
import signal
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import DatabaseError
from django.db.models import F
from django.db.models.functions import Now

from jobs.claiming import claim_due_jobs
from jobs.enums import JobStatus
from jobs.models import Job
from jobs.renewal import renew_leases
from jobs.services import release_job
from jobs.worker import activity, hold
from jobs.worker.hold import KILL_AFTER_SECONDS, Hold
from tests.jobs.factories import JobFactory
from tests.jobs.steps import expire, row_of, start, stored
from tests.threads import PATIENCE_SECONDS

pytestmark = [
    pytest.mark.both,
    pytest.mark.django_db,
    pytest.mark.usefixtures("script", "nobody_stops"),
]

S = JobStatus
LEASE = 120


class Clock:
    """A worker's own: how long something took."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def monotonic(self) -> float:
        return self.seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(hold, "time", clock)
    return clock


@pytest.fixture
def nobody_stops() -> Iterator[None]:
    yield
    activity.forget()


def claim(count: int) -> list[Job]:
    JobFactory.create_batch(count)
    return claim_due_jobs("worker", limit=count)


def look(held: Hold) -> None:
    """What its thread does twice a second."""
    held._round()


def statuses() -> list[str]:
    return sorted(Job.objects.values_list("status", flat=True))


def lasts(job: Job) -> bool:
    return Job.objects.filter(pk=job.pk, lease_expires_at__gt=Now()).exists()


# --- Giving back ---


def test_jobs_come_one_after_the_other_in_their_order(clock: Clock) -> None:
    jobs = claim(3)
    held = Hold(jobs)
    assert [held.next(), held.next(), held.next(), held.next()] == [*jobs, None]


def test_nothing_is_given_back_within_a_third_of_the_lease(clock: Clock, ticks: list[str]) -> None:
    held = Hold(claim(3))
    clock.seconds += LEASE / 3
    look(held)
    assert statuses() == [S.RUNNING] * 3
    assert ticks == []


def test_what_waits_for_longer_goes_back_and_somebody_else_is_called(
    clock: Clock, ticks: list[str]
) -> None:
    """A slow handler is before it."""
    first, *others = claim(3)
    held = Hold([first, *others])
    assert held.next() == first
    start(first)
    held.begin(first, 600)
    clock.seconds += LEASE / 3 + 0.1
    look(held)
    for job in others:
        assert (stored(job).status, stored(job).attempts) == (S.RETRYING, 0)
    assert stored(first).status == S.RUNNING
    assert held.next() is None
    assert len(ticks) == 1
    assert set(claim_due_jobs("another", limit=5)) == set(others)


def test_when_stopping_what_has_not_begun_goes_back_at_once(clock: Clock, ticks: list[str]) -> None:
    first, second = claim(2)
    held = Hold([first, second])
    held.next()
    start(first)
    held.begin(first, 60)
    activity.stop_working()
    look(held)
    assert (stored(first).status, stored(second).status) == (S.RUNNING, S.RETRYING)
    assert len(ticks) == 1


def test_one_that_was_taken_over_does_not_keep_the_others_from_going_back(
    clock: Clock, ticks: list[str]
) -> None:
    jobs = claim(3)
    Job.objects.filter(pk=jobs[0].pk).update(revision=F("revision") + 1, lease_owner="another")
    before = row_of(jobs[0])
    held = Hold(jobs)
    activity.stop_working()
    look(held)
    assert row_of(jobs[0]) == before
    assert statuses() == [S.RETRYING, S.RETRYING, S.RUNNING]


@pytest.mark.django_db(transaction=True)
def test_what_an_error_keeps_from_going_back_is_renewed_and_goes_back_later(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, ticks: list[str]
) -> None:
    jobs = claim(3)
    broken = [jobs[1]]

    def release(job: Job) -> None:
        if job in broken:
            raise DatabaseError("away")
        release_job(job)

    monkeypatch.setattr(hold, "release_job", release)
    held = Hold(jobs)
    for job in jobs:
        expire(job)
    clock.seconds += LEASE / 3 + 0.1
    look(held)
    assert statuses() == [S.RETRYING, S.RUNNING, S.RUNNING]
    assert [lasts(job) for job in jobs[1:]] == [True, True]
    broken.clear()
    look(held)
    assert statuses() == [S.RETRYING] * 3
    assert held.next() is None


def test_nobody_is_called_when_nothing_went_back(clock: Clock, ticks: list[str]) -> None:
    held = Hold([])
    activity.stop_working()
    look(held)
    assert ticks == []


class Ended(BaseException):
    pass


def end_batch(jobs: list[Job], error: type[BaseException] | None) -> Hold:
    with Hold(jobs) as held:
        held.next()
        if error:
            raise error
    return held


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("error", [ValueError, SystemExit, Ended])
def test_whatever_ends_the_batch_what_has_not_begun_goes_back(
    error: type[BaseException], ticks: list[str]
) -> None:
    jobs = claim(3)
    with pytest.raises(error):
        end_batch(jobs, error)
    assert stored(jobs[0]).status == S.RUNNING
    assert [stored(job).status for job in jobs[1:]] == [S.RETRYING] * 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("fails", [False, True])
def test_its_thread_ends_with_the_batch_even_when_nothing_can_be_given_back(
    fails: bool, monkeypatch: pytest.MonkeyPatch, ticks: list[str]
) -> None:
    """Or it would say for ever that this process is at work, and hide a stall."""

    def release(_job: Job) -> None:
        raise DatabaseError

    jobs = claim(2)
    if not fails:
        end_batch(jobs, None)
    else:
        monkeypatch.setattr(hold, "release_job", release)
        with pytest.raises(DatabaseError):
            end_batch(jobs, None)
    assert "job-leases" not in [thread.name for thread in threading.enumerate()]


# --- Renewing ---


def test_what_waits_behind_a_slow_handler_goes_back_within_seconds(clock: Clock) -> None:
    """Another worker may be free."""
    first, second = claim(2)
    held = Hold([first, second])
    held.next()
    start(first)
    held.begin(first, 600)
    clock.seconds += hold.PATIENCE_SECONDS
    look(held)
    assert stored(second).status == S.RUNNING
    clock.seconds += 0.1
    look(held)
    assert (stored(second).status, stored(second).attempts) == (S.RETRYING, 0)
    assert held.next() is None
    assert stored(first).status == S.RUNNING


def test_leases_are_renewed_after_a_third_of_them_and_not_before(
    clock: Clock, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hold, "PATIENCE_SECONDS", settings.JOB_LEASE_SECONDS)
    first, second = claim(2)
    held = Hold([first, second])
    held.next()
    start(first)
    lost = held.begin(first, 600)
    expire(first)
    expire(second)
    clock.seconds += settings.JOB_RENEW_SECONDS - 0.1
    look(held)
    assert not lasts(first)
    clock.seconds += 0.1
    look(held)
    assert lasts(first)
    assert lasts(second)
    assert not lost.is_set()
    expire(first)
    look(held)
    assert not lasts(first)  # the next one is a third of a lease away again
    assert held.next() == second


def test_a_handler_past_its_limit_is_renewed_no_more(clock: Clock) -> None:
    (job,) = claim(1)
    held = Hold([job])
    held.next()
    start(job)
    lost = held.begin(job, 100)
    for _ in range(2):
        clock.seconds += 45
        expire(job)
        look(held)
        assert lasts(job)
    clock.seconds += 13  # past its limit, and the alarm has not reached it yet
    expire(job)
    held._renewed = 0  # a renewal is due
    look(held)
    assert not lasts(job)
    assert lost.is_set()


def test_a_job_that_is_no_longer_held_is_marked_as_lost(clock: Clock) -> None:
    (job,) = claim(1)
    held = Hold([job])
    held.next()
    start(job)
    lost = held.begin(job, 600)
    Job.objects.filter(pk=job.pk).update(revision=F("revision") + 1, lease_owner="another")
    before = row_of(job)
    clock.seconds += 40
    look(held)
    assert lost.is_set()
    assert row_of(job) == before


def test_a_waiting_job_that_is_no_longer_held_is_not_begun(clock: Clock) -> None:
    first, second = claim(2)
    held = Hold([first, second])
    Job.objects.filter(pk=first.pk).update(revision=F("revision") + 1, lease_owner="another")
    clock.seconds += 40
    look(held)
    assert held.next() == second
    assert held.next() is None


def test_a_job_that_has_ended_meanwhile_is_not_marked(clock: Clock) -> None:
    first, second = claim(2)
    held = Hold([first, second])
    held.next()
    lost = held.begin(first, 600)
    held.end()
    held.next()
    other = held.begin(second, 600)
    clock.seconds += 40
    look(held)
    assert not lost.is_set()
    assert not other.is_set()


def test_nothing_to_renew_asks_nothing(django_assert_num_queries: Any, clock: Clock) -> None:
    held = Hold([])
    clock.seconds += 40
    with django_assert_num_queries(0):
        look(held)
        assert renew_leases([]) == set()


@pytest.mark.parametrize("status", S)
def test_only_what_runs_and_is_ones_own_is_renewed(status: JobStatus) -> None:
    mine = claim(1)[0]
    other = JobFactory.create(running=True, lease_owner="another")
    if status != S.RUNNING:
        Job.objects.filter(pk=mine.pk).delete()
        gone = JobFactory.create(**({} if status == S.SCHEDULED else {status.value: True}))
        gone.lease_owner = "worker"
        mine = gone
    before = row_of(other)
    other.lease_owner = "worker"
    assert renew_leases([mine, other]) == ({mine.pk} if status == S.RUNNING else set())
    assert row_of(other) == before


@pytest.mark.django_db(transaction=True)
def test_a_renewal_that_fails_is_tried_again_at_the_next_look(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = claim(1)
    held = Hold(jobs)
    asked = list[int]()

    def renew(some: list[Job]) -> set[Any]:
        asked.append(len(some))
        if len(asked) == 1:
            raise DatabaseError("away")
        return renew_leases(some)

    monkeypatch.setattr(hold, "renew_leases", renew)
    clock.seconds += 40
    look(held)
    look(held)
    look(held)
    assert asked == [1, 1]
    assert held.next() == jobs[0]


@pytest.mark.django_db(transaction=True)
def test_its_thread_renews_while_a_handler_is_busy(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.JOB_RENEW_SECONDS = 0.02
    renewed = threading.Event()

    def renew(some: list[Job]) -> set[Any]:
        kept = renew_leases(some)
        renewed.set()
        return kept

    monkeypatch.setattr(hold, "renew_leases", renew)
    (job,) = claim(1)
    with Hold([job]) as held:
        held.next()
        start(job)
        lost = held.begin(job, 60)
        expire(job)
        renewed.clear()
        assert renewed.wait(PATIENCE_SECONDS)
        assert lasts(job)
        Job.objects.filter(pk=job.pk).update(revision=F("revision") + 1, lease_owner="another")
        assert lost.wait(PATIENCE_SECONDS)
        held.end()


# --- A handler that no signal reaches ---


def test_a_worker_whose_handler_hangs_past_its_limit_ends(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = list[tuple[int, int]]()
    fake = SimpleNamespace(getpid=os.getpid, kill=lambda *sent: killed.append(sent))
    monkeypatch.setattr(hold, "os", fake)
    (job,) = claim(1)
    held = Hold([job])
    held.next()
    held.begin(job, 60)
    clock.seconds += 60 + KILL_AFTER_SECONDS
    look(held)
    assert killed == []
    clock.seconds += 0.1
    look(held)
    assert killed == [(os.getpid(), signal.SIGKILL)]


def test_a_worker_whose_handler_has_ended_does_not_end(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hold, "os", SimpleNamespace())  # whatever it asks of it fails
    (job,) = claim(1)
    held = Hold([job])
    held.next()
    held.begin(job, 60)
    held.end()
    clock.seconds += 1000
    look(held)
