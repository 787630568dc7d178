"""The database itself refuses jobs that contradict themselves."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from config.base.models import User
from jobs.enums import FINISHED, WAITING, AttemptOutcome, JobStatus
from jobs.models import Job, JobAttempt, JobSeries
from tests.jobs.factories import JobFactory, make_job

pytestmark = [pytest.mark.both, pytest.mark.django_db]

NOW = timezone.now()
HELD: dict[str, Any] = {"lease_owner": "worker", "lease_expires_at": NOW}
S = JobStatus

CONTRADICTIONS: dict[str, tuple[tuple[JobStatus, ...], dict[str, Any]]] = {
    "waits for no time": (WAITING, {"next_attempt_at": None}),
    "waits and is held": (WAITING, HELD),
    "waits and is held by somebody": (WAITING, {"lease_owner": "worker"}),
    "waits and is held until a time": (WAITING, {"lease_expires_at": NOW}),
    "waits and has ended": (WAITING, {"finished_at": NOW}),
    "waits and has started": (WAITING, {"started_at": NOW}),
    "runs and waits": ((S.RUNNING,), {"next_attempt_at": NOW}),
    "runs and is nobody's": ((S.RUNNING,), {"lease_owner": ""}),
    "runs for ever": ((S.RUNNING,), {"lease_expires_at": None}),
    "runs and has ended": ((S.RUNNING,), {"finished_at": NOW}),
    "has ended and waits": (FINISHED, {"next_attempt_at": NOW}),
    "has ended and is held": (FINISHED, HELD),
    "has ended and is held by somebody": (FINISHED, {"lease_owner": "worker"}),
    "has ended and is held until a time": (FINISHED, {"lease_expires_at": NOW}),
    "has ended at no time": (FINISHED, {"finished_at": None}),
    "started too often": (tuple(S), {"attempts": 4}),
    "may start less often than it did": ((S.FAILED,), {"max_attempts": 2}),
    "has no such status": (tuple(S), {"status": "paused"}),
}
CASES = [
    pytest.param(status, changes, id=f"{status} {name}")
    for name, (statuses, changes) in CONTRADICTIONS.items()
    for status in statuses
]


@pytest.mark.parametrize(("status", "changes"), CASES)
def test_a_job_that_contradicts_itself_is_refused(
    status: JobStatus, changes: dict[str, Any]
) -> None:
    job = make_job(status)
    with pytest.raises(IntegrityError), transaction.atomic():
        Job.objects.filter(pk=job.pk).update(**changes)


@pytest.mark.parametrize("target", S)
@pytest.mark.parametrize("source", S)
def test_a_status_can_never_be_changed_alone(source: JobStatus, target: JobStatus) -> None:
    """Between two that wait, and between two that have ended, the same columns mean the same."""
    job = make_job(source, started_at=None)
    alike = {source, target} <= set(WAITING) or {source, target} <= set(FINISHED)
    change = Job.objects.filter(pk=job.pk)
    if alike or source == target:
        assert change.update(status=target) == 1
        return
    with pytest.raises(IntegrityError), transaction.atomic():
        change.update(status=target)


@pytest.mark.parametrize("status", S)
def test_each_status_has_rows_that_are_fine(status: JobStatus) -> None:
    make_job(status).validate_constraints()


def test_a_key_is_used_once_for_each_owner_and_kind(alice: User, bob: User) -> None:
    JobFactory.create(owner=alice, idempotency_key="k")
    JobFactory.create(owner=bob, idempotency_key="k")
    JobFactory.create(owner=alice, kind="other", idempotency_key="k")
    JobFactory.create(owner=None, idempotency_key="k")
    with pytest.raises(IntegrityError), transaction.atomic():
        JobFactory.create(owner=alice, idempotency_key="k")


def test_a_key_of_the_product_is_used_once_for_each_kind() -> None:
    """NULLs are never equal, so the product's own need a constraint of their own."""
    JobFactory.create(owner=None, idempotency_key="k")
    JobFactory.create(owner=None, kind="other", idempotency_key="k")
    with pytest.raises(IntegrityError), transaction.atomic():
        JobFactory.create(owner=None, idempotency_key="k")


def test_any_number_of_jobs_have_no_key(alice: User) -> None:
    JobFactory.create_batch(2, owner=alice)
    JobFactory.create_batch(2, owner=None)


def test_a_slot_of_a_series_has_one_job() -> None:
    series = JobSeries.objects.create(kind="test.probe", cron="0 0 * * *")
    other = JobSeries.objects.create(kind="test.probe", cron="0 0 * * *")
    JobFactory.create(series=series, planned_at=NOW)
    JobFactory.create(series=series, planned_at=NOW + timedelta(days=1))
    JobFactory.create(series=other, planned_at=NOW)
    with pytest.raises(IntegrityError), transaction.atomic():
        JobFactory.create(series=series, planned_at=NOW)


def test_a_job_of_a_series_has_its_planned_time() -> None:
    series = JobSeries.objects.create(kind="test.probe", cron="0 0 * * *")
    with pytest.raises(IntegrityError), transaction.atomic():
        JobFactory.create(series=series)


def test_each_attempt_is_written_down_once() -> None:
    job = make_job(S.FAILED)
    values = {"number": 1, "outcome": AttemptOutcome.FAILED, "started_at": NOW, "finished_at": NOW}
    JobAttempt.objects.create(job=job, **values)
    with pytest.raises(IntegrityError), transaction.atomic():
        JobAttempt.objects.create(job=job, **values)
