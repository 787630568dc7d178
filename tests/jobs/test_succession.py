"""A job that begins in the transaction that completes the one before it: a commit less, and nothing
else that anybody could tell."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import DatabaseError, OperationalError, connection
from django.db.models import F
from django.utils import timezone

from config.base.models import User
from jobs.claiming import claim_due_jobs
from jobs.enums import JobStatus
from jobs.errors import PermanentFailure
from jobs.fence import fenced
from jobs.handlers import JobCall
from jobs.models import Job
from jobs.services import Ready, complete_job, create_series, running
from jobs.testing import make_due
from jobs.worker import activity, execution, hold
from jobs.worker.ticking import run_batch
from skills.models import AuditEvent
from tests.jobs.factories import JobFactory
from tests.jobs.handlers import KIND, Note, Script, effects_of, leave_effect
from tests.jobs.recurring import in_an_hour, person
from tests.jobs.steps import attempts_of, stored

pytestmark = [pytest.mark.both, pytest.mark.django_db(transaction=True)]

S = JobStatus
ONCE = [(1, "completed", "")]

type Fact = tuple[str, int, int, list[tuple[int, str, str]]]


@pytest.fixture(autouse=True)
def nobody_stops() -> Iterator[None]:
    activity.forget()
    yield
    activity.forget()


@pytest.fixture
def transactions(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many jobs each of the transactions is about that begin or complete some."""
    seen = list[int]()

    @contextmanager
    def counting(*jobs: Job) -> Iterator[None]:
        seen.append(len(jobs))
        with fenced(*jobs):
            yield

    monkeypatch.setattr(running, "fenced", counting)
    return seen


@pytest.fixture
def begun_along(monkeypatch: pytest.MonkeyPatch) -> list[Ready]:
    """Which jobs were to begin with the end of another."""
    seen = list[Ready]()
    begin_along = running._begin_along

    def noting(ready: Ready) -> None:
        seen.append(ready)
        begin_along(ready)

    monkeypatch.setattr(running, "_begin_along", noting)
    return seen


def run_together(*jobs: Job) -> None:
    claimed = claim_due_jobs("worker", limit=len(jobs))
    assert [job.pk for job in claimed] == [job.pk for job in jobs]
    run_batch(claimed)


def make_jobs(count: int = 2, **values: Any) -> list[Job]:
    return JobFactory.create_batch(count, **values)


def facts_of(job: Job) -> Fact:
    now = stored(job)
    return now.status, now.attempts, effects_of(now), attempts_of(now)


DONE: Fact = (S.COMPLETED, 1, 1, ONCE)


def test_of_quick_jobs_each_begins_with_the_end_of_the_one_before(
    script: Script, transactions: list[int], begun_along: list[Ready]
) -> None:
    jobs = make_jobs(3)
    run_together(*jobs)
    assert transactions == [1, 2, 2, 1]
    assert [ready.job.pk for ready in begun_along] == [job.pk for job in jobs[1:]]
    assert [facts_of(job) for job in jobs] == [DONE] * 3
    assert AuditEvent.objects.filter(action="job.executed", outcome="succeeded").count() == 3


def test_it_is_seen_to_run_before_its_handler_is_called(script: Script) -> None:
    jobs = make_jobs()
    script.prepare = lambda call: [stored(call.job).status, stored(call.job).attempts]
    script.apply = lambda _call, prepared: prepared
    run_together(*jobs)
    assert [stored(job).result for job in jobs] == [[S.RUNNING, 1]] * 2


@pytest.mark.parametrize("error", [PermanentFailure(code="no_more"), RuntimeError("a broken hook")])
def test_one_that_may_not_run_fails_by_itself(script: Script, error: Exception) -> None:
    first, refused, third = make_jobs(3)

    def check(job: Job) -> None:
        if job.pk == refused.pk:
            raise error

    script.check = check
    run_together(first, refused, third)
    assert [facts_of(first), facts_of(third)] == [DONE, DONE]
    assert facts_of(refused)[1:] == (0, 0, [])
    assert [call.id for call in script.prepared] == [first.pk, third.pk]
    assert stored(refused).started_at is None


def test_one_that_is_refused_was_never_begun(script: Script) -> None:
    first, put_off = make_jobs()
    asked = list[Job]()

    def check(job: Job) -> None:
        if job.pk == put_off.pk:
            asked.append(job)
            raise OperationalError if len(asked) > 1 else PermanentFailure

    script.check = check
    run_together(first, put_off)
    now = stored(put_off)
    assert (now.status, now.attempts, now.started_at) == (S.RETRYING, 0, None)
    assert facts_of(first) == DONE


def test_an_owner_who_may_not_sign_in_any_more_has_nothing_done(
    script: Script, alice: User, bob: User
) -> None:
    first, second = JobFactory.create(owner=alice), JobFactory.create(owner=bob)

    def apply(_call: JobCall[Note], _prepared: Any) -> None:
        User.objects.filter(pk=bob.pk).update(is_active=False)

    script.apply = apply
    run_together(first, second)
    assert (stored(first).status, stored(second).status) == (S.COMPLETED, S.FAILED)
    assert (stored(second).last_error_code, stored(second).attempts) == ("job_owner_inactive", 0)


def test_one_that_somebody_else_took_over_is_left_alone(script: Script) -> None:
    first, lost = make_jobs()

    def apply(call: JobCall[Note], _prepared: Any) -> None:
        if call.id == first.pk:
            Job.objects.filter(pk=lost.pk).update(revision=F("revision") + 1)

    script.apply = apply
    run_together(first, lost)
    assert (stored(first).status, stored(lost).status) == (S.COMPLETED, S.RUNNING)
    assert (stored(lost).attempts, [call.id for call in script.prepared]) == (0, [first.pk])


def test_an_end_that_fails_begins_nothing(script: Script, transactions: list[int]) -> None:
    first, second = make_jobs()

    def once(call: JobCall[Note], prepared: Any) -> None:
        script.apply = leave_effect
        leave_effect(call)
        raise RuntimeError

    script.apply = once
    run_together(first, second)
    assert facts_of(first) == (S.RETRYING, 1, 0, [(1, "failed", "handler_failed")])
    assert facts_of(second) == DONE


@pytest.mark.parametrize(
    "harm",
    [lambda: connection.set_rollback(True), lambda: connection.cursor().execute("SELECT nowhere")],
)
def test_a_hook_that_breaks_the_transaction_costs_the_job_before_it_one_attempt(
    script: Script, harm: Callable[[], Any], transactions: list[int]
) -> None:
    """Its effects are gone with the transaction. The next time it ends by itself."""
    first, harmful = make_jobs()
    first_time = iter([True])

    def check(job: Job) -> None:
        if job.pk == harmful.pk and next(first_time, False):
            harm()
            raise OperationalError

    script.check = check
    run_together(first, harmful)
    assert facts_of(first) == (S.RETRYING, 1, 0, [(1, "failed", "handler_failed")])
    assert facts_of(harmful) == DONE
    make_due(first)
    transactions.clear()
    next_one = JobFactory.create(next_attempt_at=timezone.now())
    run_together(first, next_one)
    assert transactions == [1, 1, 1, 1]
    assert [facts_of(first)[:3], facts_of(next_one)] == [(S.COMPLETED, 2, 1), DONE]


def test_a_limit_that_comes_after_both_were_written_changes_nothing(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    def complete(*arguments: Any) -> None:
        complete_job(*arguments)
        signal.raise_signal(signal.SIGALRM)

    jobs = make_jobs()
    monkeypatch.setattr(execution, "complete_job", complete)
    run_together(*jobs)
    assert [facts_of(job) for job in jobs] == [DONE] * 2


def test_a_commit_that_fails_leaves_the_next_as_it_was(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = iter([False, True])

    @contextmanager
    def failing(*jobs: Job) -> Iterator[None]:
        with fenced(*jobs):
            yield
            if next(failures, False):
                raise DatabaseError

    monkeypatch.setattr(running, "fenced", failing)
    first, second = make_jobs()
    run_together(first, second)
    assert facts_of(first) == (S.RETRYING, 1, 0, [(1, "failed", "handler_failed")])
    assert facts_of(second) == DONE


# --- When it waits for its own turn ---


def test_after_a_slow_one(
    script: Script, begun_along: list[Ready], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hold, "QUICK_SECONDS", -1.0)
    jobs = make_jobs()
    run_together(*jobs)
    assert begun_along == []
    assert [facts_of(job) for job in jobs] == [DONE] * 2


def test_when_the_worker_is_to_stop(script: Script, begun_along: list[Ready]) -> None:
    jobs = make_jobs()
    script.prepare = lambda _call: activity.stop_working()
    run_together(*jobs)
    assert begun_along == []
    assert facts_of(jobs[0]) == DONE


def test_one_of_a_series(script: Script, begun_along: list[Ready], alice: User) -> None:
    series = create_series(KIND, actor=person(alice), cron=in_an_hour())
    first = JobFactory.create()
    of_series = JobFactory.create(
        series=series, planned_at=first.scheduled_at, next_attempt_at=timezone.now()
    )
    run_together(first, of_series)
    assert begun_along == []
    assert [facts_of(first), facts_of(of_series)] == [DONE] * 2


@pytest.mark.parametrize("values", [{"attempts": 1, "status": S.RETRYING}, {"max_attempts": 1}])
def test_behind_one_that_has_no_attempt_to_lose(
    script: Script, transactions: list[int], values: dict[str, Any]
) -> None:
    jobs = [*make_jobs(1, **values), *make_jobs(1)]
    run_together(*jobs)
    assert transactions == [1, 1, 1, 1]
    assert {stored(job).status for job in jobs} == {S.COMPLETED}


@pytest.mark.parametrize(
    ("values", "status", "code"),
    [
        ({"kind": "test.gone"}, S.RETRYING, ""),
        ({"handler_version": 99}, S.RETRYING, ""),
        ({"handler_version": 1}, S.FAILED, "handler_version_gone"),
        ({"payload": {"count": "many"}}, S.FAILED, "job_payload_invalid"),
    ],
)
def test_when_it_can_not_run_here(
    script: Script, values: dict[str, Any], status: JobStatus, code: str
) -> None:
    first, other = [*make_jobs(1), *make_jobs(1, **values)]
    run_together(first, other)
    now = stored(other)
    assert (now.status, now.last_error_code, now.attempts) == (status, code, 0)
    assert facts_of(first) == DONE
