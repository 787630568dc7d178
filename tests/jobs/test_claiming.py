"""Taking due jobs: which, in what order, and each by one worker only."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.models.functions import Now
from django.utils import timezone

from config.base.models import User
from jobs import claiming
from jobs.claiming import MOST, claim_due_jobs, work_waits
from jobs.enums import JobStatus
from jobs.models import Job, PausedKind
from jobs.testing import make_due
from tests.jobs.factories import JobFactory, make_job
from tests.jobs.handlers import KIND, SLOW_KIND
from tests.jobs.steps import claim_one, expire, row_of, stored
from tests.threads import PATIENCE_SECONDS, both_at_once

pytestmark = [pytest.mark.both, pytest.mark.django_db]

S = JobStatus
NOT_WAITING = [status for status in S if status not in {S.SCHEDULED, S.RETRYING}]


def claimed(limit: int = MOST) -> list[Job]:
    return claim_due_jobs("worker", limit=limit)


def test_a_due_job_is_taken_under_a_lease() -> None:
    job = JobFactory.create()
    (taken,) = claimed()
    again = stored(job)
    assert taken == again
    assert (again.status, again.lease_owner, again.revision) == (S.RUNNING, "worker", 1)
    assert (again.attempts, again.started_at, again.next_attempt_at) == (0, None, None)
    assert Job.objects.filter(
        lease_expires_at__gt=Now() + timedelta(seconds=60),
        lease_expires_at__lte=Now() + timedelta(seconds=120),
    ).exists()


def test_what_is_answered_is_what_is_stored(alice: User) -> None:
    JobFactory.create(owner=alice, payload={"text": "é", "count": 2})
    (taken,) = claimed()
    assert {field.attname: getattr(taken, field.attname) for field in Job._meta.fields} == row_of(
        taken
    )
    assert taken.owner == alice


@pytest.mark.parametrize(("asked", "taken"), [(1, 1), (5, 5), (20, 20), (21, 20), (1000, 20)])
def test_no_more_than_asked_and_never_more_than_twenty(asked: int, taken: int) -> None:
    JobFactory.create_batch(MOST + 5)
    assert len(claimed(asked)) == taken
    assert Job.objects.filter(status=S.RUNNING).count() == taken


def test_priority_comes_first_and_then_the_time() -> None:
    now = timezone.now()
    minutes = [(0, 5), (0, 9), (7, 1), (7, 3), (-2, 60), (0, 7)]
    for priority, ago in minutes:
        when = now - timedelta(minutes=ago)
        JobFactory.create(priority=priority, scheduled_at=when, next_attempt_at=when)
    expected = [(7, 3), (7, 1), (0, 9), (0, 7), (0, 5), (-2, 60)]
    one_by_one = [claimed(1)[0].priority for _ in range(3)]
    assert one_by_one == [7, 7, 0]
    assert [job.priority for job in claimed()] == [priority for priority, _ in expected[3:]]


def test_the_answer_is_in_the_order_in_which_to_run() -> None:
    now = timezone.now()
    for priority, ago in [(0, 1), (5, 1), (0, 3), (5, 2)]:
        when = now - timedelta(minutes=ago)
        JobFactory.create(priority=priority, scheduled_at=when, next_attempt_at=when)
    ran = [(job.priority, job.scheduled_at) for job in claimed()]
    assert ran == sorted(ran, key=lambda pair: (-pair[0], pair[1]))


def test_one_that_was_hurried_comes_before_what_was_due_later() -> None:
    """Whatever it was scheduled for."""
    now = timezone.now()
    late = JobFactory.create(
        scheduled_at=now + timedelta(days=9), next_attempt_at=now - timedelta(minutes=2)
    )
    usual = JobFactory.create(next_attempt_at=now - timedelta(minutes=1))
    assert claimed() == [late, usual]


def test_jobs_of_one_moment_go_in_the_order_of_their_making() -> None:
    now = timezone.now() - timedelta(minutes=1)
    jobs = [JobFactory.create(scheduled_at=now, next_attempt_at=now) for _ in range(5)]
    assert [claimed(1)[0].pk for _ in jobs] == [job.pk for job in jobs]


def test_a_job_that_waits_for_its_next_attempt_is_due_like_a_new_one() -> None:
    job = make_job(S.RETRYING)
    (taken,) = claimed()
    assert (taken.pk, taken.attempts, taken.revision) == (job.pk, 1, 1)


@pytest.mark.parametrize("status", [S.SCHEDULED, S.RETRYING])
def test_the_future_is_left_alone(status: JobStatus) -> None:
    job = make_job(status, future=True)
    before = row_of(job)
    assert claimed() == []
    assert row_of(job) == before


def test_a_job_is_due_at_its_very_time() -> None:
    job = JobFactory.create(future=True)
    make_due(job)
    assert claimed() == [job]


@pytest.mark.parametrize("status", NOT_WAITING)
def test_what_does_not_wait_is_left_alone(status: JobStatus) -> None:
    job = make_job(status)
    before = row_of(job)
    assert claimed() == []
    assert row_of(job) == before


def test_a_lease_that_ran_out_is_not_for_the_claim_but_for_recovery() -> None:
    expire(make_job(S.RUNNING))
    assert claimed() == []


def test_a_paused_kind_waits_and_others_go_on() -> None:
    JobFactory.create(priority=9)
    other = JobFactory.create(kind=SLOW_KIND)
    PausedKind.objects.create(kind=KIND)
    assert claimed() == [other]
    PausedKind.objects.all().delete()
    assert len(claimed()) == 1


def test_paused_jobs_do_not_fill_the_batch() -> None:
    JobFactory.create_batch(MOST + 1, priority=9)
    other = JobFactory.create(kind=SLOW_KIND)
    PausedKind.objects.create(kind=KIND)
    assert claimed(1) == [other]


def test_each_claim_raises_the_revision() -> None:
    job = JobFactory.create(revision=41)
    assert claim_one().revision == 42
    Job.objects.filter(pk=job.pk).update(
        status=S.RETRYING, lease_owner="", lease_expires_at=None, next_attempt_at=Now()
    )
    assert claim_one().revision == 43


# --- Does anything wait? ---


def test_nothing_waits_in_an_empty_table() -> None:
    assert work_waits() is False


@pytest.mark.parametrize("status", [S.SCHEDULED, S.RETRYING])
def test_a_due_job_waits_for_a_worker(status: JobStatus) -> None:
    job = make_job(status)
    assert work_waits() is True
    PausedKind.objects.create(kind=job.kind)
    assert work_waits() is False


def test_a_lease_that_ran_out_waits_for_a_worker() -> None:
    job = make_job(S.RUNNING)
    assert work_waits() is False
    expire(job)
    assert work_waits() is True


@pytest.mark.parametrize("status", NOT_WAITING)
def test_no_other_job_waits_for_a_worker(status: JobStatus) -> None:
    make_job(status)
    make_job(S.SCHEDULED, future=True)
    assert work_waits() is False


# --- Several at once ---


@pytest.mark.django_db(transaction=True)
def test_of_two_claimers_each_job_goes_to_one() -> None:
    for _ in range(10):
        JobFactory.create_batch(4)
        first, second = both_at_once(
            lambda: claim_due_jobs("first", limit=3), lambda: claim_due_jobs("second", limit=3)
        )
        assert not {job.pk for job in first} & {job.pk for job in second}
        assert len(first) + len(second) >= 3
        Job.objects.all().delete()


@pytest.mark.django_db(transaction=True)
def test_four_claimers_take_two_hundred_jobs_each_exactly_once() -> None:
    jobs = JobFactory.create_batch(200)

    def take(name: str) -> list[tuple[object, int]]:
        taken = list[tuple[object, int]]()
        while batch := claim_due_jobs(name, limit=MOST):
            taken += [(job.pk, job.revision) for job in batch]
        return taken

    shares = both_at_once(*(lambda name=f"w{n}": take(name) for n in range(4)))
    counted = Counter(pk for share in shares for pk, _ in share)
    assert counted == dict.fromkeys((job.pk for job in jobs), 1)
    assert {revision for share in shares for _, revision in share} == {1}
    assert Job.objects.filter(status=S.RUNNING, revision=1).count() == 200


@pytest.mark.django_db(transaction=True)
def test_a_claimer_does_not_wait_for_another_ones_rows() -> None:
    """PostgreSQL skips what is locked. SQLite has one writer at a time, and no rows to skip."""
    if connection.vendor == "sqlite":
        assert "SKIP LOCKED" not in claiming.claim_statement("sqlite")
        return
    JobFactory.create_batch(6)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            mine = claim_due_jobs("mine", limit=3)
            theirs = pool.submit(in_own_connection, "theirs").result(PATIENCE_SECONDS)
        assert len(mine) == 3
        assert set(theirs) == set(Job.objects.filter(lease_owner="theirs"))
        assert len(theirs) == 3


@pytest.mark.django_db(transaction=True)
def test_a_claim_that_neither_skips_nor_looks_again_would_take_a_job_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The two tests above would notice: this is what the statement's last lines are for."""
    if connection.vendor == "sqlite":  # one writer at a time: nothing can come between
        return
    sabotaged = claiming.claim_statement("postgresql").replace("FOR UPDATE SKIP LOCKED", "")
    sabotaged = sabotaged.replace('AND "status" IN (%s, %s)\n    RETURNING', "RETURNING")
    values = claiming.claim_statement("postgresql").count("%s") - sabotaged.count("%s")
    assert values == 2
    monkeypatch.setattr(claiming, "claim_statement", lambda _vendor: sabotaged + " -- %s %s")
    JobFactory.create_batch(3)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            mine = claim_due_jobs("mine", limit=3)
            future = pool.submit(in_own_connection, "theirs")
            wait_until_somebody_waits()
        theirs = future.result(PATIENCE_SECONDS)
    assert {job.pk for job in mine} == {job.pk for job in theirs}


def in_own_connection(name: str) -> list[Job]:
    try:
        return claim_due_jobs(name, limit=3)
    finally:
        connection.close()


def wait_until_somebody_waits() -> None:
    """For a row that we hold."""
    deadline = timezone.now() + timedelta(seconds=PATIENCE_SECONDS)
    with connection.cursor() as cursor:
        while timezone.now() < deadline:
            cursor.execute("SELECT COUNT(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone()[0]:
                return
    raise AssertionError("nobody waits")
