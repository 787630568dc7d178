"""A job at its effects holds its row, for as long as they take: nobody else may stand still for it.

On SQLite it holds the only lock there is, so who writes comes after it: and finds it completed.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction
from django.db.models.functions import Now

from config.base.models import User
from jobs.claiming import claim_due_jobs, work_waits
from jobs.enums import JobStatus
from jobs.errors import JobFinished, JobNotFailed, JobRunning
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


def locks_rows() -> bool:
    return connection.vendor == "postgresql"


def during_its_effects[ResultT](job: Job, work: Callable[[], ResultT]) -> ResultT:
    """Done by another process while this job's worker is in the middle of `apply`.

    Where rows are locked it must have ended before they are free.
    """
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            complete(job)
            doing = pool.submit(elsewhere, work)
            if locks_rows():
                doing.exception(PATIENCE_SECONDS)
        return doing.result(PATIENCE_SECONDS)


def elsewhere[ResultT](work: Callable[[], ResultT]) -> ResultT:
    """It gives up when it has to wait for a row."""
    try:
        if locks_rows():
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '3s'")
        return work()
    finally:
        connection.close()


def held(count: int = 2) -> list[Job]:
    """The first is at its effects in these tests."""
    JobFactory.create_batch(count)
    return [claim_and_start(f"worker-{number}") for number in range(count)]


def test_recovery_goes_past_it_to_the_others(caplog: pytest.LogCaptureFixture) -> None:
    busy, lost = held()
    expire(busy)
    expire(lost)
    assert during_its_effects(busy, recover_lost_jobs) == 1
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
    assert stored(busy).status == JobStatus.COMPLETED
    assert stored(lost).status == JobStatus.RETRYING


def test_renewing_goes_past_it_to_the_others_and_does_not_take_it_for_lost() -> None:
    busy, waiting = held()
    expire(waiting)
    kept = during_its_effects(busy, lambda: renew_leases([busy, waiting]))
    assert kept == ({busy.pk, waiting.pk} if locks_rows() else {waiting.pk})
    assert Job.objects.filter(pk=waiting.pk, lease_expires_at__gt=Now()).exists()
    assert stored(busy).status == JobStatus.COMPLETED


def test_looking_goes_past_it() -> None:
    (busy,) = held(1)
    assert during_its_effects(busy, work_waits) is False
    (busy,) = held(1)
    JobFactory.create()
    assert during_its_effects(busy, work_waits) is True


def test_claiming_goes_past_it() -> None:
    (busy,) = held(1)
    other = JobFactory.create()
    assert during_its_effects(busy, lambda: claim_due_jobs("w", limit=5)) == [other]
    assert stored(busy).status == JobStatus.COMPLETED


@pytest.mark.parametrize(
    ("act", "meanwhile", "afterwards"),
    [
        (cancel_job, JobRunning, JobFinished),
        (run_job_now, JobRunning, JobFinished),
        (retry_job, JobNotFailed, JobNotFailed),
    ],
)
def test_who_decides_about_it_is_told_at_once(
    act: Callable[..., Job],
    meanwhile: type[Exception],
    afterwards: type[Exception],
    alice: User,
) -> None:
    (busy,) = held(1)
    Job.objects.update(owner=alice)
    with pytest.raises(meanwhile if locks_rows() else afterwards):
        during_its_effects(busy, lambda: act(actor_of(alice), busy.pk))
    assert stored(busy).status == JobStatus.COMPLETED
