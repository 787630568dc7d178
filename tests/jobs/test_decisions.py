"""What people decide about jobs, who may, and what is written down about it."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Permission
from django.db import transaction
from django.db.models.functions import Now

from config.base.errors import GatehouseError, NotFound, NotPermitted
from config.base.ids import uuid7
from config.base.models import User
from jobs.claiming import claim_due_jobs
from jobs.enums import FINISHED, WAITING, JobStatus
from jobs.errors import JobFinished, JobNotFailed, JobRunning, UnknownKind
from jobs.models import Job, PausedKind
from jobs.services import cancel_job, pause_kind, resume_kind, retry_job, run_job_now
from jobs.testing import run_due_jobs
from skills.models import AuditEvent
from tests.jobs.factories import JobFactory, make_job
from tests.jobs.handlers import KIND, Script, effects_of
from tests.jobs.steps import actor_of, attempts_of, events_of, row_of, run, stored
from tests.threads import both_at_once

pytestmark = [pytest.mark.both, pytest.mark.django_db, pytest.mark.usefixtures("script")]

S = JobStatus
ACTS = {"cancel": cancel_job, "retry": retry_job, "run now": run_job_now}
FITTING = {"cancel": S.SCHEDULED, "retry": S.FAILED, "run now": S.RETRYING}


def with_rights(user: User, *names: str) -> User:
    user.is_staff = True
    user.save()
    user.user_permissions.add(*Permission.objects.filter(codename__in=names))
    return User.objects.get(pk=user.pk)


# --- Cancelling ---


@pytest.mark.parametrize("status", WAITING)
def test_what_waits_can_be_cancelled(status: JobStatus, alice: User) -> None:
    job = make_job(status, owner=alice)
    answered = cancel_job(actor_of(alice), job.pk)
    again = stored(job)
    assert (again.status, again.next_attempt_at, again.revision) == (S.CANCELLED, None, 1)
    assert Job.objects.filter(pk=job.pk, finished_at__lte=Now()).exists()
    assert (answered.status, answered.finished_at) == (again.status, again.finished_at)
    event = AuditEvent.objects.get()
    assert (event.action, event.outcome, event.target_id) == (
        "job.cancelled",
        "cancelled",
        str(job.pk),
    )
    assert event.metadata == {"kind": KIND}


@pytest.mark.parametrize(
    ("status", "error", "code"),
    [(S.RUNNING, JobRunning, "job_running")]
    + [(status, JobFinished, "job_finished") for status in FINISHED],
)
@pytest.mark.parametrize("act", ["cancel", "run now"])
def test_what_runs_or_has_ended_is_left_alone(
    act: str, status: JobStatus, error: type[GatehouseError], code: str, alice: User
) -> None:
    job = make_job(status, owner=alice)
    before = row_of(job)
    with pytest.raises(error) as raised:
        ACTS[act](actor_of(alice), job.pk)
    assert (raised.value.code, raised.value.http_status) == (code, 409)
    assert row_of(job) == before
    assert not AuditEvent.objects.exists()


def test_a_cancelled_job_never_starts(script: Script, alice: User, ticks: list[str]) -> None:
    job = make_job(S.SCHEDULED, owner=alice)
    cancel_job(actor_of(alice), job.pk)
    assert run_due_jobs() == []
    assert script.prepared == []


@pytest.mark.django_db(transaction=True)
def test_a_cancel_races_with_a_claim_and_exactly_one_of_them_wins(alice: User) -> None:
    outcomes = set[str]()
    for _ in range(15):
        job = JobFactory.create(owner=alice)

        def cancel(job: Job = job) -> str:
            try:
                cancel_job(actor_of(alice), job.pk)
            except JobRunning:
                return "refused"
            return "cancelled"

        cancelled, claimed = both_at_once(cancel, lambda: len(claim_due_jobs("w", limit=1)))
        assert (cancelled, claimed) in {("cancelled", 0), ("refused", 1)}
        expected = S.RUNNING if claimed else S.CANCELLED
        assert (stored(job).status, stored(job).revision) == (expected, 1)
        outcomes.add(str(cancelled))
        Job.objects.all().delete()
    assert outcomes <= {"cancelled", "refused"}


@pytest.mark.django_db(transaction=True)
def test_of_two_who_cancel_one_does(alice: User) -> None:
    job = JobFactory.create(owner=alice)

    def cancel() -> str:
        try:
            cancel_job(actor_of(alice), job.pk)
        except JobFinished as error:
            return error.code
        return "cancelled"

    assert sorted(both_at_once(cancel, cancel)) == ["cancelled", "job_finished"]
    assert events_of(job) == ["job.cancelled"]


# --- Trying again ---


def test_a_failed_job_has_as_many_attempts_more_as_its_kind(
    alice: User, script: Script, ticks: list[str]
) -> None:
    job = make_job(S.FAILED, owner=alice, last_error_code="x", unknown_since=None)
    answered = retry_job(actor_of(alice), job.pk)
    again = stored(job)
    assert (again.status, again.attempts, again.max_attempts) == (S.RETRYING, 3, 6)
    assert (again.revision, again.finished_at, again.started_at) == (7, None, None)
    assert Job.objects.filter(pk=job.pk, next_attempt_at__lte=Now()).exists()
    assert (answered.status, answered.next_attempt_at) == (again.status, again.next_attempt_at)
    assert AuditEvent.objects.get().action == "job.retried"
    (ran,) = run_due_jobs()
    assert (ran.status, ran.attempts, effects_of(ran)) == (S.COMPLETED, 4, 1)
    assert attempts_of(job) == [(4, "completed", "")]


@pytest.mark.parametrize("status", [status for status in S if status != S.FAILED])
def test_only_a_failed_job_is_tried_again(status: JobStatus, alice: User) -> None:
    job = make_job(status, owner=alice)
    before = row_of(job)
    with pytest.raises(JobNotFailed) as raised:
        retry_job(actor_of(alice), job.pk)
    assert (raised.value.code, raised.value.http_status) == ("job_not_failed", 409)
    assert row_of(job) == before
    assert not AuditEvent.objects.exists()


def test_a_job_of_a_kind_that_is_gone_is_not_tried_again(alice: User) -> None:
    job = make_job(S.FAILED, owner=alice, kind="test.gone")
    with pytest.raises(UnknownKind):
        retry_job(actor_of(alice), job.pk)
    assert stored(job).status == S.FAILED


def test_a_job_can_be_tried_again_any_number_of_times(
    alice: User, script: Script, ticks: list[str]
) -> None:
    script.fail_with(ValueError())
    job = make_job(S.FAILED, owner=alice)
    for _ in range(3):
        retry_job(actor_of(alice), job.pk)
        Job.objects.filter(pk=job.pk).update(max_attempts=stored(job).attempts + 1)
        assert [ran.status for ran in run_due_jobs()] == [S.FAILED]
    assert [number for number, _, _ in attempts_of(job)] == [4, 5, 6]


# --- Now ---


@pytest.mark.parametrize("status", WAITING)
def test_what_waits_for_later_can_run_now(status: JobStatus, alice: User) -> None:
    job = make_job(status, owner=alice, future=True)
    answered = run_job_now(actor_of(alice), job.pk)
    again = stored(job)
    assert (again.status, again.revision, again.attempts) == (status, 1, job.attempts)
    assert again.scheduled_at == job.scheduled_at
    assert answered.next_attempt_at == again.next_attempt_at
    assert AuditEvent.objects.get().action == "job.hurried"
    assert [ran.pk for ran in run_due_jobs()] == [job.pk]


# --- Each of them ---


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("act", "woken"), [("cancel", 0), ("retry", 1), ("run now", 1)])
def test_what_makes_a_job_due_wakes_a_worker(
    act: str, woken: int, alice: User, ticks: list[str]
) -> None:
    job = make_job(FITTING[act], owner=alice)
    ACTS[act](actor_of(alice), job.pk)
    assert len(ticks) == woken


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("act", ACTS)
def test_a_decision_that_is_rolled_back_leaves_nothing(
    act: str, alice: User, ticks: list[str]
) -> None:
    job = make_job(FITTING[act], owner=alice)
    before = row_of(job)
    with transaction.atomic():
        ACTS[act](actor_of(alice), job.pk)
        transaction.set_rollback(True)
    assert row_of(job) == before
    assert not AuditEvent.objects.exists()
    assert ticks == []


def operator_who_may_change(user: User) -> User:
    return with_rights(user, "view_job", "change_job")


def operator_who_may_look(user: User) -> User:
    return with_rights(user, "view_job")


def operator_without_rights(user: User) -> User:
    return with_rights(user)


def somebody_with_rights_who_is_no_operator(user: User) -> User:
    user = with_rights(user, "view_job", "change_job")
    user.is_staff = False
    user.save()
    return user


PEOPLE: list[tuple[Callable[[User], User], type[GatehouseError] | None]] = [
    (operator_who_may_change, None),
    (operator_who_may_look, NotPermitted),
    (operator_without_rights, NotFound),
    (somebody_with_rights_who_is_no_operator, NotFound),
    (lambda user: user, NotFound),
]


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize(("become", "error"), PEOPLE)
def test_somebody_elses_job_is_for_operators_with_the_right(
    act: str,
    become: Callable[[User], User],
    error: type[GatehouseError] | None,
    alice: User,
    stranger: User,
) -> None:
    person = become(stranger)
    for job in (make_job(FITTING[act], owner=alice), make_job(FITTING[act], owner=None)):
        before = row_of(job)
        if error is None:
            ACTS[act](actor_of(person), job.pk)
            assert row_of(job) != before
            continue
        with pytest.raises(error):
            ACTS[act](actor_of(person), job.pk)
        assert row_of(job) == before
        assert events_of(job) == []


@pytest.mark.parametrize("act", ACTS)
def test_a_job_that_does_not_exist_is_not_found(act: str, operator: User) -> None:
    with pytest.raises(NotFound):
        ACTS[act](actor_of(operator), uuid7())


# --- Kinds that rest ---


def test_a_paused_kind_rests_until_it_is_resumed(operator: User, ticks: list[str]) -> None:
    job = make_job(S.SCHEDULED)
    pause_kind(actor_of(operator), KIND)
    assert run_due_jobs() == []
    assert PausedKind.objects.get().paused_by == operator
    resume_kind(actor_of(operator), KIND)
    assert run_due_jobs() == [job]
    kinds = AuditEvent.objects.filter(target_type="job_kind").order_by("id")
    assert list(kinds.values_list("action", "target_id", "outcome")) == [
        ("job_kind.paused", KIND, "succeeded"),
        ("job_kind.resumed", KIND, "succeeded"),
    ]


def test_twice_is_once(operator: User) -> None:
    for _ in range(2):
        pause_kind(actor_of(operator), KIND)
    assert AuditEvent.objects.count() == 1
    for _ in range(2):
        resume_kind(actor_of(operator), KIND)
    assert AuditEvent.objects.count() == 2
    assert not PausedKind.objects.exists()


def test_a_kind_that_nobody_knows_cannot_be_paused(operator: User) -> None:
    with pytest.raises(UnknownKind):
        pause_kind(actor_of(operator), "test.nothing")
    assert not PausedKind.objects.exists()


def test_a_kind_that_is_gone_can_be_resumed(operator: User) -> None:
    PausedKind.objects.create(kind="test.gone")
    resume_kind(actor_of(operator), "test.gone")
    assert not PausedKind.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_resuming_wakes_a_worker(operator: User, ticks: list[str]) -> None:
    pause_kind(actor_of(operator), KIND)
    assert ticks == []
    resume_kind(actor_of(operator), KIND)
    assert len(ticks) == 1
    resume_kind(actor_of(operator), KIND)
    assert len(ticks) == 1


@pytest.mark.parametrize("act", [pause_kind, resume_kind])
@pytest.mark.parametrize(("become", "error"), PEOPLE)
def test_only_operators_with_the_right_let_a_kind_rest(
    act: Callable[..., None],
    become: Callable[[User], User],
    error: type[GatehouseError] | None,
    stranger: User,
) -> None:
    if act is resume_kind:
        PausedKind.objects.create(kind=KIND)
    before = PausedKind.objects.count()
    person = become(stranger)
    if error is None:
        act(actor_of(person), KIND)
        assert PausedKind.objects.count() != before
        return
    with pytest.raises(NotPermitted):
        act(actor_of(person), KIND)
    assert PausedKind.objects.count() == before
    assert not AuditEvent.objects.exists()


def test_what_runs_goes_on_when_its_kind_is_paused(operator: User, script: Script) -> None:
    job = make_job(S.SCHEDULED)
    (claimed,) = claim_due_jobs("worker", limit=1)
    pause_kind(actor_of(operator), KIND)
    assert run(claimed).status == S.COMPLETED
    assert effects_of(job) == 1
