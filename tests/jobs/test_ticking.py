"""A wake-up: what is due runs, and whatever goes wrong in it ends in it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import DatabaseError, OperationalError, connection
from django.db.models.functions import Now

from jobs.claiming import MOST, claim_due_jobs
from jobs.enums import JobStatus
from jobs.handlers import JobCall
from jobs.models import Job, Wake
from jobs.services import enqueue
from jobs.waking import answer_wake, wake
from jobs.worker import activity, tick, ticking
from jobs.worker.ticking import claim_limit, run_batch
from tests.jobs.factories import JobFactory, make_job
from tests.jobs.handlers import KIND, Note, Script, effects_of
from tests.jobs.steps import claim_and_start, expire, stored

pytestmark = [pytest.mark.both, pytest.mark.django_db(transaction=True)]

S = JobStatus


@pytest.fixture(autouse=True)
def fresh_worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """It has learnt nothing yet, and nobody stops it."""
    monkeypatch.setattr(ticking, "_pace", 0.01)
    activity.forget()
    yield
    activity.forget()


def statuses() -> set[str]:
    return set(Job.objects.values_list("status", flat=True))


def test_everything_that_is_due_runs(script: Script, ticks: list[str]) -> None:
    jobs = JobFactory.create_batch(2 * MOST + 3)
    later = JobFactory.create(future=True)
    tick()
    assert {stored(job).status for job in jobs} == {S.COMPLETED}
    assert all(effects_of(job) == 1 for job in jobs)
    assert stored(later).status == S.SCHEDULED


def test_nothing_due_is_fine(script: Script, ticks: list[str]) -> None:
    tick()
    assert ticks == []


@pytest.mark.parametrize(("count", "woken"), [(1, 0), (MOST - 1, 0), (MOST, 1), (3 * MOST, 1)])
def test_a_full_batch_calls_another_worker_once(
    count: int, woken: int, script: Script, ticks: list[str]
) -> None:
    JobFactory.create_batch(count)
    tick()
    assert len(ticks) == woken


def test_a_wake_up_is_answered_before_the_jobs_are_looked_for(
    script: Script, ticks: list[str]
) -> None:
    JobFactory.create()
    wake()
    script.prepare = lambda _call: wake()
    tick()
    assert len(ticks) == 2
    assert Wake.objects.filter(pending_until__gt=Now()).exists()


def test_lost_jobs_are_recovered_and_run(script: Script, ticks: list[str]) -> None:
    JobFactory.create_batch(2)
    began = claim_and_start()
    (never,) = claim_due_jobs("worker", limit=1)
    expire(began)
    expire(never)
    tick()
    assert (stored(began).status, stored(began).last_error_code) == (S.RETRYING, "worker_lost")
    assert stored(never).status == S.COMPLETED


@pytest.mark.parametrize(("every", "looks"), [(0.0, 4), (60.0, 1)])
def test_lost_jobs_are_looked_for_before_a_claim_and_not_before_each(
    every: float, looks: int, script: Script, ticks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three batches and the look that finds nothing more."""
    seen = list[None]()
    monkeypatch.setattr(ticking, "RECOVER_SECONDS", every)
    monkeypatch.setattr(ticking, "recover_lost_jobs", lambda: seen.append(None))
    JobFactory.create_batch(2 * MOST + 1)
    tick()
    assert len(seen) == looks


def test_a_job_that_fails_does_not_keep_the_others(script: Script, ticks: list[str]) -> None:
    bad, *others = JobFactory.create_batch(3)

    def prepare(call: JobCall[Note]) -> None:
        if call.id == bad.pk:
            raise ValueError

    script.prepare = prepare
    tick()
    assert stored(bad).status == S.RETRYING
    assert {stored(job).status for job in others} == {S.COMPLETED}


def test_what_a_job_makes_runs_in_the_same_wake_up(script: Script, ticks: list[str]) -> None:
    def apply(call: JobCall[Note], _prepared: Any) -> None:
        if call.payload.count:
            enqueue(KIND, {"count": call.payload.count - 1}, actor=None)

    script.apply = apply
    JobFactory.create(payload={"count": 3})
    tick()
    assert Job.objects.filter(status=S.COMPLETED).count() == 4


def test_jobs_of_an_attempt_that_failed_were_never_made(script: Script, ticks: list[str]) -> None:
    def apply(_call: JobCall[Note], _prepared: Any) -> None:
        enqueue(KIND, actor=None)
        raise ValueError

    script.apply = apply
    JobFactory.create()
    tick()
    assert Job.objects.count() == 1
    assert ticks == []


def test_after_its_time_it_claims_no_more_and_calls_another(
    script: Script, ticks: list[str], settings: LazySettings
) -> None:
    settings.JOB_TICK_SECONDS = -1
    script.prepare = lambda _call: answer_wake()  # the worker that a full batch had called
    JobFactory.create_batch(MOST + 5)
    tick()
    assert Job.objects.filter(status=S.COMPLETED).count() == MOST
    assert Job.objects.filter(status=S.SCHEDULED).count() == 5
    assert len(ticks) == 2


def test_a_worker_that_stops_claims_nothing(script: Script, ticks: list[str]) -> None:
    job = JobFactory.create()
    activity.stop_working()
    tick()
    assert stored(job).status == S.SCHEDULED


def test_a_worker_that_is_told_to_stop_finishes_and_gives_back_the_rest(
    script: Script, ticks: list[str]
) -> None:
    JobFactory.create_batch(3)
    script.prepare = lambda _call: activity.stop_working()
    tick()
    assert statuses() <= {S.COMPLETED, S.RETRYING, S.SCHEDULED}
    assert Job.objects.filter(status=S.COMPLETED).exists()
    assert not Job.objects.filter(attempts=0, status=S.COMPLETED).exists()


def test_it_says_that_it_is_at_work_and_then_that_it_rests(
    script: Script, ticks: list[str]
) -> None:
    working = list[int]()
    script.prepare = lambda _call: working.append(activity.count_working())
    JobFactory.create()
    tick()
    assert working == [1]
    assert activity.count_working() == 0


# --- It never raises ---


@pytest.mark.parametrize("name", ["answer_wake", "recover_lost_jobs", "claim_due_jobs", "Hold"])
@pytest.mark.parametrize("error", [DatabaseError, ValueError])
def test_whatever_fails_in_it_ends_in_it(
    name: str,
    error: type[Exception],
    script: Script,
    ticks: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_arguments: Any, **_named: Any) -> None:
        raise error

    job = JobFactory.create()
    with monkeypatch.context() as broken:
        broken.setattr(ticking, name, fail)
        tick()
        assert activity.count_working() == 0
        assert stored(job).status in {S.SCHEDULED, S.RUNNING}
    expire(job)
    tick()
    assert stored(job).status == S.COMPLETED


def after(count: int) -> Callable[..., Any]:
    """Every statement from the one with this number on fails."""
    asked = 0

    def execute(run: Callable[..., Any], *arguments: Any) -> Any:
        nonlocal asked
        asked += 1
        if asked > count:
            raise OperationalError("server closed the connection unexpectedly")
        return run(*arguments)

    return execute


@pytest.mark.parametrize("count", range(14))
def test_a_database_that_goes_away_at_any_statement_costs_an_attempt_at_most(
    count: int, script: Script, ticks: list[str]
) -> None:
    JobFactory.create_batch(2)
    with connection.execute_wrapper(after(count)):
        tick()
    for job in Job.objects.filter(status=S.RUNNING):
        expire(job)
    tick()
    Job.objects.filter(status=S.RETRYING).update(next_attempt_at=Now())
    tick()
    for job in Job.objects.all():
        assert (job.status, effects_of(job)) == (S.COMPLETED, 1)
        assert job.attempts <= 2


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
def test_what_ends_the_process_gives_back_what_has_not_begun(
    error: type[BaseException], script: Script, ticks: list[str]
) -> None:
    """django-q2's own alarm is a SystemExit."""
    script.fail_with(error())
    JobFactory.create_batch(3)
    claimed = claim_due_jobs("worker", limit=3)
    with pytest.raises(error):
        run_batch(claimed)
    assert [stored(job).status for job in claimed] == [S.RUNNING, S.RETRYING, S.RETRYING]
    assert [stored(job).attempts for job in claimed] == [1, 0, 0]


# --- How many at a time ---


@pytest.mark.parametrize(
    ("pace", "lease", "limit"),
    [
        *((0.001, 120, 20), (0.1, 120, 20), (0.11, 120, 18), (1, 120, 2), (2, 120, 1)),
        *((900, 120, 1), (0.1, 3, 10), (0.5, 3, 2), (1, 3, 1)),
    ],
)
def test_it_claims_what_can_start_before_it_would_be_given_back_or_its_lease_be_short(
    pace: float, lease: float, limit: int, monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    settings.JOB_LEASE_SECONDS = lease
    monkeypatch.setattr(ticking, "_pace", pace)
    assert claim_limit() == limit


def test_it_learns_slowness_at_once_and_quickness_by_and_by() -> None:
    ticking._learn(100)
    assert claim_limit() == 1
    limits = list[int]()
    for _ in range(60):
        ticking._learn(0.01)
        limits.append(claim_limit())
    assert limits == sorted(limits)
    assert limits[0] == 1
    assert limits[-1] == MOST


def test_a_slow_kind_is_claimed_by_ones(
    script: Script, ticks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ticking, "_pace", 500.0)
    held = list[int]()
    script.prepare = lambda _call: held.append(Job.objects.filter(status=S.RUNNING).count())
    JobFactory.create_batch(3)
    tick()
    assert held == [1, 1, 1]


def test_every_status_survives_a_wake_up(script: Script, ticks: list[str]) -> None:
    kept = {status: make_job(status, future=True) for status in (S.SCHEDULED, S.RETRYING)}
    kept |= {status: make_job(status) for status in (S.RUNNING, S.COMPLETED, S.FAILED, S.CANCELLED)}
    tick()
    assert {status: stored(job).status for status, job in kept.items()} == {s: s for s in S}
