"""Jobs that this worker can't run: not yet, or never again."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from jobs.enums import JobStatus
from jobs.models import Job
from jobs.services.ending import AGAIN_SECONDS, LONGEST_SECONDS
from jobs.testing import make_due
from tests.jobs.factories import JobFactory
from tests.jobs.handlers import KIND, Script, effects_of
from tests.jobs.steps import attempts_of, claim_one, events_of, run, stored

pytestmark = [pytest.mark.both, pytest.mark.django_db]

S = JobStatus
UNKNOWN = [{"kind": "test.unknown"}, {"handler_version": 4}]
UNKNOWN_IDS = ["an unknown kind", "a newer version"]


def unknown_for(job: Job, seconds: float) -> None:
    Job.objects.filter(pk=job.pk).update(unknown_since=Now() - timedelta(seconds=seconds))


@pytest.mark.parametrize("values", UNKNOWN, ids=UNKNOWN_IDS)
def test_what_is_not_known_yet_is_put_back_for_a_minute_and_costs_nothing(
    values: dict[str, object], script: Script
) -> None:
    JobFactory.create(**values)
    again = run(claim_one())
    assert (again.status, again.attempts, again.last_error_code) == (S.RETRYING, 0, "")
    assert Job.objects.filter(
        unknown_since__lte=Now(),
        next_attempt_at__gt=Now() + timedelta(seconds=1),
        next_attempt_at__lte=Now() + timedelta(seconds=AGAIN_SECONDS),
    ).exists()
    assert (AGAIN_SECONDS, LONGEST_SECONDS) == (60, 3600)
    assert (attempts_of(again), events_of(again)) == ([], [])
    assert script.prepared == []


@pytest.mark.parametrize("values", UNKNOWN, ids=UNKNOWN_IDS)
def test_it_is_put_back_again_and_again_until_an_hour_has_passed(
    values: dict[str, object], script: Script
) -> None:
    job = JobFactory.create(max_attempts=1, **values)
    since = None
    for _ in range(5):
        make_due(job)
        again = run(claim_one())
        since = since or again.unknown_since
        assert (again.status, again.unknown_since) == (S.RETRYING, since)
    unknown_for(job, LONGEST_SECONDS - 30)
    make_due(job)
    assert run(claim_one()).status == S.RETRYING
    unknown_for(job, LONGEST_SECONDS + 1)
    make_due(job)
    again = run(claim_one())
    assert (again.status, again.attempts, again.last_error_code) == (
        S.FAILED,
        0,
        "job_kind_unknown",
    )
    assert attempts_of(job) == []
    assert events_of(job) == ["job.executed"]


def test_a_worker_that_knows_it_runs_it(script: Script) -> None:
    job = JobFactory.create(handler_version=4)
    run(claim_one())
    Job.objects.update(handler_version=3)  # the deploy has come this far
    make_due(job)
    again = run(claim_one())
    assert (again.status, again.attempts, again.unknown_since) == (S.COMPLETED, 1, None)


def test_the_hour_begins_anew_after_a_worker_knew_it(script: Script) -> None:
    """A second deploy, days later, while the job waits for another attempt."""
    job = JobFactory.create(handler_version=4)
    run(claim_one())
    unknown_for(job, LONGEST_SECONDS + 1)
    Job.objects.update(handler_version=3)
    make_due(job)
    script.fail_with(ValueError())
    assert run(claim_one()).status == S.RETRYING
    Job.objects.update(kind="test.renamed")
    make_due(job)
    assert run(claim_one()).status == S.RETRYING


@pytest.mark.parametrize(
    ("version", "status", "code"),
    [
        (1, S.FAILED, "handler_version_gone"),
        (2, S.COMPLETED, ""),
        (3, S.COMPLETED, ""),
        (4, S.RETRYING, ""),
    ],
)
def test_versions_from_the_oldest_to_the_newest_that_is_known_run(
    version: int, status: JobStatus, code: str, script: Script
) -> None:
    JobFactory.create(handler_version=version)
    again = run(claim_one())
    assert (again.status, again.last_error_code) == (status, code)
    assert effects_of(again) == (status == S.COMPLETED)


def test_a_version_that_is_gone_fails_at_once_and_is_not_called(script: Script) -> None:
    JobFactory.create(handler_version=1)
    again = run(claim_one())
    assert (again.status, again.attempts) == (S.FAILED, 0)
    assert script.prepared == []
    assert events_of(again) == ["job.executed"]


@pytest.mark.parametrize(
    "payload", [{"text": 1}, {"colour": "red"}, {"count": "secret"}, [], "text", 7]
)
def test_a_payload_that_no_longer_fits_fails_at_once(payload: object, script: Script) -> None:
    JobFactory.create(payload=payload, kind=KIND)
    again = run(claim_one())
    assert (again.status, again.attempts, again.last_error_code) == (
        S.FAILED,
        0,
        "job_payload_invalid",
    )
    assert "secret" not in again.last_error_message
    assert script.prepared == []
    assert stored(again).payload == payload
