"""Leases that ran out: what becomes of their jobs."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, transaction

from config.base.errors import LeaseLost
from jobs.enums import JobStatus
from jobs.models import Job
from jobs.renewal import renew_leases
from jobs.services import recover_lost_jobs
from jobs.services import recovery as recovery_module
from jobs.services.recovery import BATCH, lost_jobs
from jobs.testing import make_due
from tests.jobs.factories import JobFactory, make_job
from tests.jobs.steps import (
    attempts_of,
    claim_and_start,
    claim_one,
    complete,
    events_of,
    expire,
    row_of,
    stored,
)
from tests.threads import PATIENCE_SECONDS, both_at_once

pytestmark = [pytest.mark.both, pytest.mark.django_db, pytest.mark.usefixtures("script")]

S = JobStatus


def test_a_job_that_never_began_is_free_at_once_and_has_cost_nothing() -> None:
    JobFactory.create()
    job = claim_one()
    expire(job)
    assert recover_lost_jobs() == 1
    again = stored(job)
    assert (again.status, again.attempts, again.revision) == (S.RETRYING, 0, 2)
    assert (again.last_error_code, attempts_of(job)) == ("", [])
    assert claim_one() == job


def test_a_job_that_had_begun_goes_the_way_of_a_failure() -> None:
    JobFactory.create()
    job = claim_and_start()
    expire(job)
    assert recover_lost_jobs() == 1
    again = stored(job)
    assert (again.status, again.attempts, again.revision) == (S.RETRYING, 1, 2)
    assert again.last_error_code == "worker_lost"
    assert attempts_of(job) == [(1, "lost", "worker_lost")]
    assert not Job.objects.filter(pk=job.pk, started_at__isnull=False).exists()


def test_a_job_whose_workers_die_every_time_ends() -> None:
    job = JobFactory.create()
    for number in range(1, 4):
        make_due(job)
        expire(claim_and_start())
        assert recover_lost_jobs() == 1
        assert stored(job).attempts == number
    assert stored(job).status == S.FAILED
    assert attempts_of(job) == [(n, "lost", "worker_lost") for n in (1, 2, 3)]
    assert events_of(job) == ["job.executed"]


@pytest.mark.parametrize("status", S)
def test_a_lease_that_lasts_is_left_alone(status: JobStatus) -> None:
    job = make_job(status)
    before = row_of(job)
    assert recover_lost_jobs() == 0
    assert row_of(job) == before


def test_what_was_recovered_is_not_recovered_again() -> None:
    JobFactory.create_batch(3)
    for _ in range(3):
        expire(claim_and_start())
    assert recover_lost_jobs() == 3
    assert recover_lost_jobs() == 0


def test_a_great_many_are_recovered_in_turns_the_oldest_first() -> None:
    JobFactory.create_batch(BATCH + 3, running=True)
    for job in Job.objects.all():
        expire(job)
    oldest = list(lost_jobs()[:BATCH].values_list("pk", flat=True))
    assert recover_lost_jobs() == BATCH
    assert set(oldest) == set(Job.objects.filter(status=S.RETRYING).values_list("pk", flat=True))
    assert recover_lost_jobs() == 3


def between(monkeypatch: pytest.MonkeyPatch, act: Any) -> None:
    """`act` happens after the lost jobs were read, and before the first is recovered."""
    original = recovery_module._recover

    def recover(job: Job) -> bool:
        act()
        return original(job)

    monkeypatch.setattr(recovery_module, "_recover", recover)


def test_a_renewal_that_comes_in_between_keeps_the_job(monkeypatch: pytest.MonkeyPatch) -> None:
    JobFactory.create()
    job = claim_and_start()
    expire(job)
    between(monkeypatch, lambda: renew_leases([job]))
    assert recover_lost_jobs() == 0
    assert (stored(job).status, stored(job).revision) == (S.RUNNING, job.revision)
    complete(job)
    assert stored(job).status == S.COMPLETED


def test_a_completion_that_comes_in_between_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another queue's rescuer overwrote jobs that had just been completed."""
    JobFactory.create()
    job = claim_and_start()
    expire(job)
    between(monkeypatch, lambda: complete(job))
    assert recover_lost_jobs() == 0
    assert stored(job).status == S.COMPLETED
    assert attempts_of(job) == [(1, "completed", "")]


def test_one_job_that_cannot_be_recovered_does_not_keep_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    JobFactory.create_batch(3)
    jobs = [claim_and_start() for _ in range(3)]
    for job in jobs:
        expire(job)
    original = recovery_module._end

    def end(job: Job) -> None:
        if job.pk == jobs[0].pk:
            raise ValueError("its series is broken")
        original(job)

    monkeypatch.setattr(recovery_module, "_end", end)
    assert recover_lost_jobs() == 2
    assert stored(jobs[0]).status == S.RUNNING


@pytest.mark.django_db(transaction=True)
def test_several_workers_recover_each_job_once() -> None:
    JobFactory.create_batch(20)
    for _ in range(20):
        expire(claim_and_start())
    counts = both_at_once(*[recover_lost_jobs] * 3)
    assert sum(counts) == 20
    assert set(Job.objects.values_list("attempts", "revision", "status")) == {(1, 2, S.RETRYING)}


@pytest.mark.django_db(transaction=True)
def test_recovery_races_with_the_end_of_the_job_and_one_of_them_wins() -> None:
    for _ in range(10):
        JobFactory.create()
        job = claim_and_start()
        expire(job)

        def finish(job: Job = job) -> int:
            try:
                complete(job)
            except LeaseLost:
                return 0
            return 1

        assert sum(both_at_once(finish, recover_lost_jobs)) == 1
        assert len(attempts_of(job)) == 1
        Job.objects.all().delete()


@pytest.mark.django_db(transaction=True)
def test_recovery_waits_for_a_completion_under_way_and_then_leaves_it_alone() -> None:
    """PostgreSQL looks again at a row it had to wait for. SQLite has one writer at a time."""
    if connection.vendor == "sqlite":
        return
    JobFactory.create()
    job = claim_and_start()
    expire(job)

    def recover() -> int:
        try:
            return recover_lost_jobs()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            complete(job)
            future = pool.submit(recover)
        assert future.result(PATIENCE_SECONDS) == 0
    assert stored(job).status == S.COMPLETED
