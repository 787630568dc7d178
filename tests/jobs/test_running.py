"""The steps of a claimed job: what each writes, and what an attempt costs."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import InterfaceError, OperationalError
from django.db.models.functions import Now

from config.base.errors import GatehouseError, InvalidInput, NotFound, NotPermitted
from config.base.models import User
from jobs.claiming import claim_due_jobs
from jobs.enums import JobStatus
from jobs.errors import HandlerFailed, PermanentFailure
from jobs.models import MAX_ERROR_LENGTH, Job, JobAttempt
from jobs.services import fail_attempt, release_job
from jobs.services.ending import LONGEST_SECONDS
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
    run,
    stored,
)

pytestmark = [pytest.mark.both, pytest.mark.django_db, pytest.mark.usefixtures("script")]

S = JobStatus


def waits_between(job: Job, least: float, most: float) -> bool:
    """Seconds from the database's now until its next attempt."""
    waiting = Job.objects.filter(pk=job.pk)
    return waiting.filter(
        next_attempt_at__gt=Now() + timedelta(seconds=least),
        next_attempt_at__lte=Now() + timedelta(seconds=most),
    ).exists()


# --- Starting ---


def test_a_start_is_counted_when_it_begins() -> None:
    JobFactory.create()
    job = claim_one()
    assert stored(job).attempts == 0
    job = claim_one_again(job)
    assert (stored(job).attempts, stored(job).started_at is None) == (1, False)
    assert (job.attempts, job.started_at) == (1, stored(job).started_at)


def claim_one_again(job: Job) -> Job:
    release_job(job)
    return claim_and_start()


def test_giving_back_what_never_began_costs_no_attempt() -> None:
    job = JobFactory.create(max_attempts=1)
    for _ in range(5):
        release_job(claim_one())
    again = stored(job)
    assert (again.status, again.attempts, again.revision) == (S.RETRYING, 0, 10)
    assert attempts_of(job) == []
    assert run(claim_one()).status == S.COMPLETED


def test_attempts_are_the_starts_of_the_handler(script: Script) -> None:
    job = JobFactory.create()
    script.fail_with(ValueError())
    for starts in range(1, 4):
        make_due(job)
        assert run(claim_one()).attempts == starts == len(script.prepared)
    assert stored(job).status == S.FAILED
    make_due(job)
    assert claim_due_jobs("worker", limit=1) == []


# --- Permission ---


def test_a_permission_taken_back_before_the_start_ends_the_job_without_calling_its_handler(
    script: Script,
) -> None:
    JobFactory.create()
    job = claim_one()
    script.refuse_with(PermanentFailure(code="grant_missing"))
    again = run(job)
    assert (again.status, again.attempts, again.started_at) == (S.FAILED, 0, None)
    assert again.last_error_code == "grant_missing"
    assert script.prepared == script.applied == []
    assert attempts_of(job) == []
    event = AuditEvent.objects.get(target_id=str(job.pk))
    assert (event.action, event.outcome, event.reason_code) == (
        "job.executed",
        "failed",
        "grant_missing",
    )
    assert event.metadata == {"kind": job.kind, "attempts": 0}


def test_permission_is_asked_again_at_each_attempt(script: Script) -> None:
    job = JobFactory.create()
    script.fail_with(ValueError())
    run(claim_one())
    make_due(job)
    script.refuse_with(PermanentFailure())
    again = run(claim_one())
    assert (again.status, again.attempts, len(script.prepared)) == (S.FAILED, 1, 1)


def test_an_owner_who_may_not_sign_in_any_more_has_nothing_done_in_their_name(
    script: Script, alice: User
) -> None:
    JobFactory.create(owner=alice)
    job = claim_one()
    User.objects.filter(pk=alice.pk).update(is_active=False)
    again = run(job)
    assert (again.status, again.last_error_code, again.attempts) == (
        S.FAILED,
        "job_owner_inactive",
        0,
    )
    assert script.prepared == []


def test_permissions_are_those_of_the_moment_for_each_job_of_a_batch(
    script: Script, operator: User
) -> None:
    """Jobs of one owner in one batch: what the first has looked up is not true for the second."""
    User.objects.filter(pk=operator.pk).update(is_superuser=True)
    JobFactory.create_batch(2, owner=operator)
    first, second = claim_due_jobs("worker", limit=2)

    def check(job: Job) -> None:
        assert job.owner is not None
        if not job.owner.has_perm("jobs.view_job"):
            raise PermanentFailure

    script.check = check
    assert run(first).status == S.COMPLETED
    User.objects.filter(pk=operator.pk).update(is_superuser=False)
    assert run(second).status == S.FAILED


@pytest.mark.parametrize("error", [NotPermitted(), NotFound(), InvalidInput(code="odd")])
def test_a_refusal_of_any_kind_ends_the_job(script: Script, error: GatehouseError) -> None:
    """A hook that asks other services gets their errors: it must not be tried for ever."""
    JobFactory.create()
    script.refuse_with(error)
    again = run(claim_one())
    assert (again.status, again.last_error_code) == (S.FAILED, error.code)
    assert script.prepared == []


def test_a_hook_that_breaks_does_not_run_the_handler_and_is_not_tried_for_ever(
    script: Script,
) -> None:
    job = JobFactory.create()
    script.refuse_with(ZeroDivisionError("secret"))
    for _ in range(4):
        make_due(job)
        for claimed in claim_due_jobs("worker", limit=1):
            run(claimed)
    assert stored(job).status == S.FAILED
    assert "secret" not in stored(job).last_error_message
    assert script.prepared == []


class Busy(GatehouseError):
    code = "busy_now"
    retryable = True


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (Busy("Later."), "busy_now"),
        (OperationalError("timeout"), "handler_failed"),
        (InterfaceError("closed"), "handler_failed"),
    ],
    ids=["can be asked again", "the database", "its connection"],
)
def test_a_hook_that_can_not_tell_is_asked_again_for_an_hour_at_most(
    script: Script, error: Exception, code: str
) -> None:
    job = JobFactory.create(max_attempts=1)
    script.refuse_with(error)
    for _ in range(3):
        make_due(job)
        again = run(claim_one())
        assert (again.status, again.attempts, again.last_error_code) == (S.RETRYING, 0, code)
        assert again.unknown_since is not None
        assert Job.objects.filter(next_attempt_at__gt=Now() + timedelta(seconds=1)).exists()
    Job.objects.update(unknown_since=Now() - timedelta(seconds=LONGEST_SECONDS + 1))
    make_due(job)
    again = run(claim_one())
    assert (again.status, again.attempts, again.last_error_code) == (S.FAILED, 0, code)
    assert (script.prepared, events_of(job)) == ([], ["job.executed"])


@pytest.mark.parametrize(("retry_seconds", "wait_seconds"), [(2, 2), (300, 60)])
def test_what_could_not_begin_waits_no_longer_than_what_failed(
    retry_seconds: int, wait_seconds: int, script: Script, settings: LazySettings
) -> None:
    settings.JOB_RETRY_SECONDS = retry_seconds
    job = JobFactory.create()
    script.refuse_with(Busy())
    run(claim_one())
    assert waits_between(job, 0, wait_seconds)


def test_a_hook_that_can_tell_after_all_lets_the_job_run(script: Script) -> None:
    job = JobFactory.create()
    script.refuse_with(Busy())
    run(claim_one())
    script.check = lambda _job: None
    make_due(job)
    again = run(claim_one())
    assert (again.status, again.attempts, again.unknown_since) == (S.COMPLETED, 1, None)


# --- Completing ---


def test_a_completed_job_says_so_once(script: Script, alice: User) -> None:
    JobFactory.create(owner=alice)
    again = run(claim_one("one-worker"))
    assert (again.status, again.attempts, again.revision) == (S.COMPLETED, 1, 2)
    assert (again.lease_owner, again.lease_expires_at, again.next_attempt_at) == ("", None, None)
    assert again.started_at is not None
    assert again.finished_at is not None
    assert again.started_at <= again.finished_at
    assert (again.last_error_code, again.result, effects_of(again)) == ("", None, 1)
    row = JobAttempt.objects.get(job=again)
    assert (row.number, row.outcome, row.worker) == (1, "completed", "one-worker")
    assert (row.started_at, row.error_code) == (again.started_at, "")
    event = AuditEvent.objects.get(action="job.executed")
    assert (event.outcome, event.origin, event.actor) == ("succeeded", "job", "user")
    assert event.metadata == {"kind": again.kind, "attempts": 1}


def test_the_products_own_job_is_nobodys() -> None:
    JobFactory.create(owner=None)
    run(claim_one())
    assert AuditEvent.objects.get(action="job.executed").actor == "system"


@pytest.mark.parametrize("result", [None, 0, "", [], {}, "text", {"a": [1, 2.5, None, "é"]}, False])
def test_what_apply_answers_is_the_result(script: Script, result: Any) -> None:
    JobFactory.create()
    script.apply = lambda _call, _prepared: result
    assert run(claim_one()).result == result


def test_a_result_that_is_no_json_fails_the_attempt(script: Script) -> None:
    JobFactory.create()
    script.apply = lambda _call, _prepared: {1, 2}  # type: ignore[assignment, return-value]  # on purpose
    again = run(claim_one())
    assert (again.status, again.last_error_code) == (S.RETRYING, "handler_failed")


def test_what_prepare_answers_is_given_to_apply(script: Script) -> None:
    JobFactory.create()
    script.prepare = lambda call: f"for {call.id}"
    script.apply = lambda _call, prepared: f"got {prepared}"
    again = run(claim_one())
    assert again.result == f"got for {again.pk}"


# --- Failing ---


@pytest.mark.parametrize("where", ["fail_with", "fail_after_effect_with"])
def test_an_unforeseen_error_fails_the_attempt_and_says_no_content(
    script: Script, where: str
) -> None:
    JobFactory.create()
    getattr(script, where)(KeyError("Alice's salary is 100"))
    again = run(claim_one())
    assert (again.status, again.attempts, again.started_at) == (S.RETRYING, 1, None)
    assert (again.last_error_code, again.last_error_message) == ("handler_failed", "KeyError")
    assert attempts_of(again) == [(1, "failed", "handler_failed")]
    assert JobAttempt.objects.get().error_message == "KeyError"
    assert effects_of(again) == 0
    assert waits_between(again, 240, 330)


@pytest.mark.parametrize("where", ["fail_with", "fail_after_effect_with"])
def test_a_permanent_failure_ends_the_job_at_its_first_attempt(script: Script, where: str) -> None:
    JobFactory.create()
    getattr(script, where)(PermanentFailure("The skill is off.", code="skill_disabled"))
    again = run(claim_one())
    assert (again.status, again.attempts, effects_of(again)) == (S.FAILED, 1, 0)
    assert (again.last_error_code, again.last_error_message) == (
        "skill_disabled",
        "The skill is off.",
    )
    assert attempts_of(again) == [(1, "failed", "skill_disabled")]
    assert events_of(again) == ["job.executed"]


def test_an_error_of_ours_keeps_its_code_and_is_tried_again(script: Script) -> None:
    JobFactory.create()
    script.fail_with(NotFound())
    again = run(claim_one())
    assert (again.status, again.last_error_code) == (S.RETRYING, "not_found")


def test_after_its_last_attempt_a_job_has_failed(script: Script) -> None:
    job = JobFactory.create(max_attempts=2)
    script.fail_with(ValueError())
    assert run(claim_one()).status == S.RETRYING
    make_due(job)
    again = run(claim_one())
    assert (again.status, again.attempts, again.next_attempt_at) == (S.FAILED, 2, None)
    assert again.finished_at is not None
    assert attempts_of(job) == [(1, "failed", "handler_failed"), (2, "failed", "handler_failed")]
    assert events_of(job) == ["job.executed"]


def test_a_job_that_failed_once_and_then_succeeds_is_completed(script: Script) -> None:
    job = JobFactory.create()
    script.fail_with(ValueError())
    run(claim_one())
    script.prepare = Script().prepare
    make_due(job)
    again = run(claim_one())
    assert (again.status, again.attempts, effects_of(again)) == (S.COMPLETED, 2, 1)


@pytest.mark.parametrize("length", [MAX_ERROR_LENGTH, MAX_ERROR_LENGTH + 1, 100_000])
def test_the_text_of_an_error_is_bounded(script: Script, length: int) -> None:
    JobFactory.create()
    script.fail_with(PermanentFailure("é" * length))
    assert run(claim_one()).last_error_message == "é" * MAX_ERROR_LENGTH
    assert JobAttempt.objects.get().error_message == "é" * MAX_ERROR_LENGTH


@pytest.mark.parametrize("text", ["a\x00b", "a\ud800b"], ids=["NUL", "half a character"])
def test_an_error_whose_text_no_database_takes_ends_its_attempt_all_the_same(
    script: Script, text: str
) -> None:
    """It may quote what came from outside."""
    JobFactory.create()
    script.fail_with(PermanentFailure(text))
    again = run(claim_one())
    assert again.status == S.FAILED
    assert again.last_error_message.startswith("a")


def test_a_failure_waits_longer_each_time(script: Script, settings: LazySettings) -> None:
    job = JobFactory.create(max_attempts=9)
    script.fail_with(ValueError())
    for least in (300, 600, 1200, 2400):
        make_due(job)
        assert waits_between(run(claim_one()), least - 60, least * 1.1 + 1)
    for _ in range(3):
        make_due(job)
        assert waits_between(run(claim_one()), 3540, 3600)


def test_an_attempt_can_be_failed_before_it_began_and_costs_nothing() -> None:
    JobFactory.create()
    job = claim_one()
    fail_attempt(job, HandlerFailed())
    assert (stored(job).status, stored(job).attempts) == (S.RETRYING, 0)
    assert attempts_of(job) == []


def test_what_is_completed_without_a_start_has_no_attempt() -> None:
    JobFactory.create()
    job = claim_one()
    complete(job)
    assert (stored(job).status, attempts_of(job)) == (S.COMPLETED, [])
