"""A job at its effects holds its row, for as long as they take: nobody else may stand still for it.

PostgreSQL only: SQLite has one writer at a time, whatever the rows.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from django.db import connection, transaction
from django.db.models.functions import Now

from config.base.models import User
from jobs.claiming import claim_due_jobs, work_waits
from jobs.enums import JobStatus
from jobs.errors import JobNotFailed, JobRunning
from jobs.models import Job
from jobs.renewal import renew_leases
from jobs.services import cancel_job, recover_lost_jobs, retry_job, run_job_now
from tests.jobs.factories import JobFactory
from tests.jobs.steps import actor_of, claim_and_start, complete, expire, stored
from tests.threads import PATIENCE_SECONDS

pytestmark = [
    pytest.mark.both,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("script", "ticks"),
]


@contextmanager
def at_its_effects(job: Job) -> Iterator[None]:
    """Its worker is in the middle of `apply`, slow or frozen."""
    with transaction.atomic():
        if connection.vendor == "postgresql":
            complete(job)
        yield
        if connection.vendor == "sqlite":
            complete(job)


def elsewhere[ResultT](work: Callable[[], ResultT]) -> ResultT:
    """In another process's connection, which gives up when it has to wait for a row."""

    def patient() -> ResultT:
        try:
            if connection.vendor == "postgresql":
                with connection.cursor() as cursor:
                    cursor.execute("SET lock_timeout = '3s'")
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(patient).result(PATIENCE_SECONDS)


def held(count: int = 2) -> list[Job]:
    """The first is at its effects in these tests."""
    JobFactory.create_batch(count)
    return [claim_and_start(f"worker-{number}") for number in range(count)]


def test_recovery_goes_past_it_to_the_others(caplog: pytest.LogCaptureFixture) -> None:
    busy, lost = held()
    expire(busy)
    expire(lost)
    with at_its_effects(busy):
        if connection.vendor == "postgresql":
            assert elsewhere(recover_lost_jobs) == 1
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
    recover_lost_jobs()
    assert stored(busy).status == JobStatus.COMPLETED
    assert stored(lost).status == JobStatus.RETRYING


def test_renewing_goes_past_it_to_the_others_and_does_not_take_it_for_lost() -> None:
    busy, waiting = held()
    expire(waiting)
    with at_its_effects(busy):
        if connection.vendor == "postgresql":
            assert elsewhere(lambda: renew_leases([busy, waiting])) == {busy.pk, waiting.pk}
    renew_leases([waiting])
    assert Job.objects.filter(pk=waiting.pk, lease_expires_at__gt=Now()).exists()


def test_claiming_and_looking_go_past_it() -> None:
    (busy,) = held(1)
    other = JobFactory.create()
    with at_its_effects(busy):
        if connection.vendor == "postgresql":
            assert elsewhere(work_waits) is True
            assert elsewhere(lambda: claim_due_jobs("w", limit=5)) == [other]
    assert stored(busy).status == JobStatus.COMPLETED


@pytest.mark.parametrize(
    ("act", "error"),
    [(cancel_job, JobRunning), (run_job_now, JobRunning), (retry_job, JobNotFailed)],
)
def test_who_decides_about_it_is_told_at_once(
    act: Callable[..., Job], error: type[Exception], alice: User
) -> None:
    (busy,) = held(1)
    Job.objects.update(owner=alice)
    if connection.vendor == "sqlite":
        with pytest.raises(error):
            act(actor_of(alice), busy.pk)
        return
    with at_its_effects(busy), pytest.raises(error):
        elsewhere(lambda: act(actor_of(alice), busy.pk))
