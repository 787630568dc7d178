"""Whoever lost a job changes nothing any more, whatever they do and whatever they believe."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from config.base.errors import LeaseLost
from config.base.models import User
from config.base.updates import NOW, Later
from jobs.enums import JobStatus
from jobs.errors import HandlerFailed, PermanentFailure
from jobs.fence import UNHELD, begin, change, fenced
from jobs.models import Job, JobAttempt
from jobs.renewal import renew_leases
from jobs.services import fail_attempt, put_back_unknown, recover_lost_jobs, release_job
from jobs.testing import make_due
from skills.models import AuditEvent
from tests.jobs.factories import JobFactory
from tests.jobs.handlers import Script, effects_of
from tests.jobs.steps import (
    attempts_of,
    claim_and_start,
    claim_one,
    complete,
    events_of,
    expire,
    row_of,
    start,
    stored,
)

pytestmark = [pytest.mark.both, pytest.mark.django_db, pytest.mark.usefixtures("script")]

S = JobStatus

WRITES: dict[str, Callable[[Job], None]] = {
    "start": start,
    "complete": complete,
    "fail": lambda job: fail_attempt(job, HandlerFailed()),
    "fail for good": lambda job: fail_attempt(job, PermanentFailure()),
    "release": release_job,
    "put back": put_back_unknown,
}
ENDED: dict[str, Any] = {"lease_owner": "", "lease_expires_at": None, "finished_at": Now()}
LOSSES: dict[str, dict[str, Any]] = {
    "a newer revision": {"revision": F("revision") + 1},
    "an older revision": {"revision": F("revision") - 1},
    "another owner": {"lease_owner": "another"},
    "another owner and revision": {"lease_owner": "another", "revision": F("revision") + 1},
    "completed": {"status": S.COMPLETED, **ENDED},
    "failed": {"status": S.FAILED, **ENDED},
    "cancelled": {"status": S.CANCELLED, **ENDED},
    "given back": {
        "status": S.RETRYING,
        "next_attempt_at": Now(),
        "lease_owner": "",
        "lease_expires_at": None,
        "started_at": None,
    },
}


def memory_of(job: Job) -> dict[str, Any]:
    return {field.attname: getattr(job, field.attname) for field in Job._meta.concrete_fields}


@pytest.mark.parametrize("begun", [False, True], ids=["before its start", "after its start"])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("write", WRITES)
def test_who_lost_a_job_writes_nothing(write: str, loss: str, begun: bool) -> None:
    JobFactory.create()
    job = claim_and_start() if begun else claim_one()
    Job.objects.filter(pk=job.pk).update(**LOSSES[loss])
    before, remembered, events = row_of(job), memory_of(job), AuditEvent.objects.count()
    with pytest.raises(LeaseLost):
        WRITES[write](job)
    assert row_of(job) == before
    assert memory_of(job) == remembered
    assert AuditEvent.objects.count() == events
    assert not JobAttempt.objects.exists()


@pytest.mark.parametrize("write", WRITES)
def test_a_job_that_is_gone_is_lost(write: str) -> None:
    JobFactory.create()
    job = claim_one()
    Job.objects.all().delete()
    with pytest.raises(LeaseLost):
        WRITES[write](job)
    assert not Job.objects.exists()


@pytest.mark.parametrize("write", [name for name in WRITES if name != "start"])
def test_a_lease_that_ran_out_and_was_not_taken_over_still_holds(write: str) -> None:
    """Time alone takes nothing away: only somebody who took it over does."""
    JobFactory.create()
    job = claim_and_start()
    expire(job)
    WRITES[write](job)
    assert stored(job).status != S.RUNNING


def test_a_zombie_that_finishes_after_another_completed_it_leaves_no_effect() -> None:
    JobFactory.create()
    zombie = claim_and_start("zombie")
    expire(zombie)
    assert recover_lost_jobs() == 1
    make_due(zombie)
    complete(claim_and_start("healthy"))
    before = row_of(zombie)
    with pytest.raises(LeaseLost):
        complete(zombie)
    assert row_of(zombie) == before
    assert effects_of(zombie) == 1
    assert attempts_of(zombie) == [(1, "lost", "worker_lost"), (2, "completed", "")]
    assert events_of(zombie).count("job.executed") == 1


def test_a_zombie_that_finishes_while_another_runs_does_not_disturb_it() -> None:
    JobFactory.create()
    zombie = claim_and_start("zombie")
    expire(zombie)
    recover_lost_jobs()
    make_due(zombie)
    healthy = claim_and_start("healthy")
    for write in WRITES.values():
        with pytest.raises(LeaseLost):
            write(zombie)
    complete(healthy)
    assert (stored(healthy).status, effects_of(healthy)) == (S.COMPLETED, 1)


def test_the_fence_comes_before_the_effects(script: Script) -> None:
    """Not only is what a zombie wrote rolled back: it is not even asked."""
    JobFactory.create()
    job = claim_and_start()
    Job.objects.filter(pk=job.pk).update(revision=F("revision") + 1)
    with pytest.raises(LeaseLost):
        complete(job)
    assert script.applied == []


def test_an_effect_that_fails_takes_the_end_of_the_job_with_it(script: Script) -> None:
    JobFactory.create()
    job = claim_and_start()
    before, remembered, events = row_of(job), memory_of(job), AuditEvent.objects.count()
    script.fail_after_effect_with(ValueError("no"))
    with pytest.raises(ValueError, match="no"):
        complete(job)
    assert row_of(job) == before
    assert memory_of(job) == remembered
    assert AuditEvent.objects.count() == events
    script.apply = Script().apply
    complete(job)
    assert (stored(job).status, effects_of(job)) == (S.COMPLETED, 1)


@pytest.mark.parametrize("write", WRITES)
def test_a_job_is_let_go_once(write: str) -> None:
    """The worker's own copy, used twice: each end of a hold raises the revision in the table."""
    JobFactory.create()
    job = claim_and_start()
    complete(job)
    before = row_of(job)
    with pytest.raises(LeaseLost):
        WRITES[write](job)
    assert row_of(job) == before


def test_a_renewal_does_not_raise_the_revision() -> None:
    JobFactory.create()
    job = claim_and_start()
    expire(job)
    assert renew_leases([job]) == {job.pk}
    assert stored(job).revision == job.revision
    assert Job.objects.filter(pk=job.pk, lease_expires_at__gt=Now()).exists()
    complete(job)
    assert stored(job).status == S.COMPLETED


# --- The fence itself ---


@pytest.mark.django_db(transaction=True)
def test_a_fence_outside_a_transaction_is_refused() -> None:
    job = JobFactory.create(running=True)
    with pytest.raises(RuntimeError, match="within a transaction"):
        change(job, {"started_at": NOW})


def break_off(job: Job, error: type[BaseException]) -> None:
    with fenced(job):
        begin(job)
        assert (job.attempts, job.started_at is None) == (2, False)
        change(job, {"status": S.COMPLETED, "finished_at": NOW, **UNHELD})
        raise error


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, LeaseLost])
def test_what_a_failed_transaction_changed_in_memory_is_taken_back(
    error: type[BaseException],
) -> None:
    job = JobFactory.create(running=True, started_at=None)
    before, remembered = row_of(job), memory_of(job)
    with pytest.raises(error):
        break_off(job, error)
    assert row_of(job) == before
    assert memory_of(job) == remembered


def test_only_a_change_of_status_raises_the_revision() -> None:
    job = JobFactory.create(running=True)
    with fenced(job):
        change(job, {"last_error_code": "x"})
    assert (job.revision, stored(job).revision) == (1, 1)
    with fenced(job):
        change(job, {"status": S.COMPLETED, "finished_at": NOW, **UNHELD})
    assert (job.revision, stored(job).revision) == (2, 2)


@pytest.mark.parametrize("seconds", [0, 0.001, 1, 59.5, 3600, 86400.25])
def test_a_time_to_come_is_counted_by_the_database(seconds: float) -> None:
    job = JobFactory.create(running=True)
    with transaction.atomic():
        change(job, {"lease_expires_at": Later(seconds)})
        change(job, {"started_at": NOW})
    again = stored(job)
    assert again.lease_expires_at is not None
    assert again.started_at is not None
    apart = (again.lease_expires_at - again.started_at).total_seconds()
    assert seconds - 60 < apart <= seconds + 0.001


def test_only_a_lease_that_ran_out_can_be_asked_for() -> None:
    job = JobFactory.create(running=True)
    with pytest.raises(LeaseLost), fenced(job):
        change(job, {"last_error_code": "x"}, expired=True)
    expire(job)
    with fenced(job):
        change(job, {"last_error_code": "x"}, expired=True)
    assert stored(job).last_error_code == "x"


def test_an_attempt_begins_in_the_name_of_the_owner_of_this_moment(alice: User) -> None:
    job = JobFactory.create(running=True, owner=alice)
    User.objects.filter(pk=alice.pk).update(is_active=False, is_staff=True)
    with fenced(job):
        begin(job)
    assert job.owner is not None
    assert (job.owner.is_active, job.owner.is_staff) == (False, True)
    assert job.owner.username == alice.username  # read when it is asked for


def test_the_products_own_job_begins_in_nobodys_name() -> None:
    job = JobFactory.create(running=True, owner=None)
    with fenced(job):
        begin(job)
    assert job.owner is None
    assert stored(job).attempts == 2
