"""Running one claimed job: however its handler ends, the job is left in one clear state."""

import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from django.db import DatabaseError, OperationalError, connection, transaction
from django.db.models import F

from config.base.errors import LeaseLost
from config.base.models import Project
from jobs.enums import JobStatus
from jobs.handlers import JobCall
from jobs.models import Job
from jobs.services import complete_job, recover_lost_jobs
from jobs.testing import NoHold, make_due
from jobs.worker.execution import execute
from tests.jobs.factories import JobFactory
from tests.jobs.handlers import Note, Probe, Script, effects_of, leave_effect
from tests.jobs.steps import attempts_of, claim_one, expire, row_of, run, stored
from tests.threads import PATIENCE_SECONDS

pytestmark = [pytest.mark.both, pytest.mark.django_db(transaction=True)]

S = JobStatus


def time_out() -> None:
    """What the alarm does, at a moment of our choosing."""
    signal.raise_signal(signal.SIGALRM)


def test_a_handler_is_called_with_its_job_and_payload(script: Script) -> None:
    job = JobFactory.create(payload={"text": "hi"})
    run(claim_one())
    (call,) = script.prepared
    assert (call.id, call.payload, call.actor) == (job.pk, Note(text="hi"), None)
    assert script.applied == [call]


def test_prepare_has_no_transaction_around_it_and_apply_has(script: Script) -> None:
    JobFactory.create()
    script.prepare = lambda _call: connection.in_atomic_block
    script.apply = lambda _call, prepared: [prepared, connection.in_atomic_block]
    assert run(claim_one()).result == [False, True]


def test_while_it_runs_it_can_be_seen_to_run(script: Script) -> None:
    JobFactory.create()
    script.prepare = lambda call: [stored(call.job).status, stored(call.job).attempts]
    script.apply = lambda _call, prepared: prepared
    assert run(claim_one()).result == [S.RUNNING, 1]


def test_a_handler_that_loses_its_job_under_way_leaves_nothing(script: Script) -> None:
    JobFactory.create()
    script.prepare = lambda call: Job.objects.filter(pk=call.id).update(revision=F("revision") + 1)
    job = claim_one()
    execute(job, NoHold())
    assert (stored(job).status, effects_of(job), script.applied) == (S.RUNNING, 0, [])


def test_a_handler_that_asks_stops_before_its_next_effect(script: Script) -> None:
    JobFactory.create()

    def prepare(call: JobCall[Note]) -> None:
        call.check()
        call.lost.set()
        call.check()
        raise AssertionError("it went on")

    script.prepare = prepare
    job = claim_one()
    before = row_of(job)
    execute(job, NoHold())
    assert {**row_of(job), "attempts": 0, "started_at": None} == before
    assert attempts_of(job) == []


def test_an_error_of_the_database_in_apply_fails_the_attempt_alone(script: Script) -> None:
    JobFactory.create()

    def apply(call: JobCall[Note], _prepared: object) -> None:
        leave_effect(call)
        Project.objects.create(slug="twice")
        Project.objects.create(slug="twice")

    script.apply = apply
    again = run(claim_one())
    assert (again.status, again.last_error_message) == (S.RETRYING, "IntegrityError")
    assert effects_of(again) == Project.objects.count() == 0
    assert attempts_of(again) == [(1, "failed", "handler_failed")]


def swallow_what_the_database_says() -> None:
    with connection.cursor() as cursor, suppress(DatabaseError):
        cursor.execute("SELECT nothing")
    if connection.vendor == "sqlite":
        connection.set_rollback(True)  # there such an error breaks nothing


@pytest.mark.parametrize(
    "swallow", [lambda: connection.set_rollback(True), swallow_what_the_database_says]
)
def test_an_error_of_the_database_that_apply_swallows_is_no_success(
    swallow: Callable[[], None], script: Script
) -> None:
    JobFactory.create()

    def apply(call: JobCall[Note], _prepared: object) -> None:
        leave_effect(call)
        swallow()

    script.apply = apply
    job = claim_one()
    execute(job, NoHold())
    assert (stored(job).status, effects_of(job)) == (S.RETRYING, 0)


@pytest.mark.parametrize("where", ["prepare", "apply"])
def test_a_connection_that_was_cut_costs_the_attempt_and_no_lease(
    where: str, script: Script
) -> None:
    if connection.vendor == "sqlite":  # its connections are calls in this process
        return

    def cut(*_arguments: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT PG_TERMINATE_BACKEND(PG_BACKEND_PID())")

    setattr(script, where, cut)
    JobFactory.create()
    again = run(claim_one())
    assert (again.status, again.last_error_message) == (S.RETRYING, "OperationalError")
    assert attempts_of(again) == [(1, "failed", "handler_failed")]


def test_an_end_that_cannot_be_written_is_left_to_recovery(script: Script) -> None:
    JobFactory.create()
    job = claim_one()
    before = row_of(job)

    def fail(*_arguments: object) -> None:
        raise OperationalError("server closed the connection")

    with connection.execute_wrapper(fail):
        execute(job, NoHold())
    assert row_of(job) == before
    expire(job)
    assert recover_lost_jobs() == 1


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
def test_what_ends_the_process_ends_it_and_leaves_the_job_to_recovery(
    error: type[BaseException], script: Script
) -> None:
    JobFactory.create()
    script.fail_after_effect_with(error())
    job = claim_one()
    with pytest.raises(error):
        execute(job, NoHold())
    assert (stored(job).status, stored(job).attempts, effects_of(job)) == (S.RUNNING, 1, 0)


def test_the_hold_knows_what_runs_only_while_it_runs(script: Script) -> None:
    seen = list[object]()

    class Watching(NoHold):
        def begin(self, job: Job, hard_limit_seconds: float) -> threading.Event:
            seen.append(hard_limit_seconds)
            return super().begin(job, hard_limit_seconds)

        def end(self) -> None:
            seen.append("end")
            super().end()

    script.prepare = lambda _call: seen.append("runs")
    for fails in (False, True):
        JobFactory.create()
        if fails:
            script.fail_with(ValueError())
        execute(claim_one(), Watching())
    assert seen == [60.0, "runs", "end", 60.0, "end"]


# --- Its hard limit ---


def test_a_handler_that_takes_too_long_is_stopped(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Probe, "hard_limit_seconds", 0.05)
    JobFactory.create()
    script.prepare = lambda _call: threading.Event().wait(PATIENCE_SECONDS)
    again = run(claim_one())
    assert (again.status, again.attempts, again.last_error_code) == (S.RETRYING, 1, "timed_out")
    assert attempts_of(again) == [(1, "failed", "timed_out")]
    assert script.applied == []


def test_effects_of_a_handler_that_is_stopped_are_undone(script: Script) -> None:
    JobFactory.create()

    def apply(call: JobCall[Note], _prepared: object) -> None:
        leave_effect(call)
        time_out()

    script.apply = apply
    again = run(claim_one())
    assert (again.status, again.last_error_code, effects_of(again)) == (
        S.RETRYING,
        "timed_out",
        0,
    )


def test_a_broad_except_does_not_swallow_the_limit(script: Script) -> None:
    JobFactory.create()

    def prepare(_call: JobCall[Note]) -> None:
        try:
            time_out()
        except Exception:  # noqa: BLE001 (that is the point)
            return

    script.prepare = prepare
    again = run(claim_one())
    assert (again.status, again.last_error_code) == (S.RETRYING, "timed_out")


def test_a_job_that_always_takes_too_long_ends(script: Script) -> None:
    job = JobFactory.create()
    script.prepare = lambda _call: time_out()
    for _ in range(3):
        make_due(job)
        run(claim_one())
    assert (stored(job).status, stored(job).attempts) == (S.FAILED, 3)
    assert attempts_of(job) == [(number, "failed", "timed_out") for number in (1, 2, 3)]


def test_the_next_job_runs_after_one_that_took_too_long(script: Script) -> None:
    JobFactory.create_batch(2)
    script.prepare = lambda _call: time_out()
    assert run(claim_one()).status == S.RETRYING
    script.prepare = Script().prepare
    assert run(claim_one()).status == S.COMPLETED


def test_a_limit_that_comes_when_the_end_was_just_written_changes_nothing(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    def complete(*arguments: Any) -> None:
        complete_job(*arguments)
        time_out()

    monkeypatch.setattr("jobs.worker.execution.complete_job", complete)
    JobFactory.create()
    again = run(claim_one())
    assert (again.status, effects_of(again)) == (S.COMPLETED, 1)
    assert attempts_of(again) == [(1, "completed", "")]


def test_a_lost_job_is_not_failed_by_its_limit(script: Script) -> None:
    JobFactory.create()

    def prepare(call: JobCall[Note]) -> None:
        Job.objects.filter(pk=call.id).update(revision=F("revision") + 1)
        time_out()

    script.prepare = prepare
    job = claim_one()
    execute(job, NoHold())
    assert (stored(job).status, attempts_of(job)) == (S.RUNNING, [])


def test_check_says_nothing_while_it_is_held() -> None:
    call = JobCall(Job(), Note())
    call.check()
    call.lost.set()
    with pytest.raises(LeaseLost):
        call.check()


def test_a_lease_of_something_else_that_a_handler_lost_fails_its_attempt(script: Script) -> None:
    """A run that it drives was taken over, say: the job itself is still ours."""
    JobFactory.create()
    script.fail_with(LeaseLost())
    again = run(claim_one())
    assert (again.status, again.last_error_code) == (S.RETRYING, "lease_lost")
    assert attempts_of(again) == [(1, "failed", "lease_lost")]


# --- What a handler leaves behind, and what its hook takes ---


@pytest.mark.parametrize("fails", [False, True])
def test_a_transaction_that_a_handler_left_open_is_ended(script: Script, fails: bool) -> None:
    """On SQLite it would hold up every write of the product."""

    def leave_open(_call: JobCall[Note]) -> None:
        transaction.atomic().__enter__()
        Project.objects.create(slug="left", name="Left open")
        if fails:
            raise ValueError

    script.prepare = leave_open
    job = JobFactory.create()
    run(claim_one())
    again = stored(job)
    assert (again.status, again.last_error_code) == (S.RETRYING, "handler_failed")
    assert not connection.in_atomic_block
    assert not Project.objects.filter(slug="left").exists()
    assert effects_of(job) == 0


def test_a_hook_that_takes_too_long_is_ended_and_asked_again(script: Script) -> None:
    script.check = lambda _job: time_out()
    job = JobFactory.create()
    run(claim_one())
    again = stored(job)
    assert (again.status, again.attempts, again.last_error_code) == (S.RETRYING, 0, "timed_out")
    assert script.prepared == []


@pytest.mark.parametrize("result", ["\ud800", {"x": ["\x00"]}, {"x": float("nan")}])
def test_a_result_that_can_not_be_stored_fails_for_good(script: Script, result: Any) -> None:
    def answer(call: JobCall[Note], _prepared: Any) -> Any:
        leave_effect(call)
        return result

    script.apply = answer
    job = JobFactory.create()
    run(claim_one())
    again = stored(job)
    assert (again.status, again.last_error_code) == (S.FAILED, "job_result_unstorable")
    assert effects_of(job) == 0
