"""Making a job: what is refused, what is there once, and who is told of it."""

import math
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models.functions import Now
from django.utils import timezone
from pydantic import BaseModel

from config.base.errors import IdempotencyKeyReused, InvalidInput
from config.base.models import User
from jobs.enums import JobStatus
from jobs.errors import InvalidPayload, PermanentFailure, UnknownKind
from jobs.handlers import Handler, Payload
from jobs.models import Job
from jobs.services import create_series, enqueue
from jobs.testing import registered
from skills.models import AuditEvent
from tests.jobs.factories import make_job
from tests.jobs.handlers import KIND, SLOW_KIND, Note, Script
from tests.jobs.steps import actor_of, row_of, stored
from tests.threads import both_at_once

pytestmark = [pytest.mark.both, pytest.mark.django_db, pytest.mark.usefixtures("script", "ticks")]

S = JobStatus


class Other(BaseModel):
    text: str = "from another model"


def test_a_job_is_due_at_once_by_the_databases_clock(alice: User) -> None:
    job = enqueue(KIND, {"text": "hi"}, actor=actor_of(alice))
    assert (job.kind, job.handler_version, job.max_attempts, job.owner) == (KIND, 3, 3, alice)
    assert (job.status, job.attempts, job.revision, job.priority) == (S.SCHEDULED, 0, 0, 0)
    assert job.payload == {"text": "hi", "count": 1}
    assert Job.objects.filter(pk=job.pk, next_attempt_at__lte=Now()).exists()
    assert Job.objects.filter(pk=job.pk, next_attempt_at__gt=Now() - timedelta(minutes=1)).exists()


def test_what_is_answered_is_what_is_stored(alice: User) -> None:
    job = enqueue(KIND, actor=actor_of(alice))
    assert isinstance(job.next_attempt_at, datetime)
    assert {field.attname: getattr(job, field.attname) for field in Job._meta.fields} == row_of(job)


def test_a_job_for_later_waits_for_its_time() -> None:
    when = timezone.now() + timedelta(days=3)
    job = enqueue(KIND, actor=None, scheduled_at=when, priority=7)
    assert (job.scheduled_at, job.next_attempt_at, job.priority) == (when, when, 7)
    assert stored(job).next_attempt_at == when


@pytest.mark.parametrize("year", [1970, 9000])
def test_any_time_can_be_asked_for(year: int) -> None:
    when = datetime(year, 1, 1, tzinfo=UTC)
    assert stored(enqueue(KIND, actor=None, scheduled_at=when)).next_attempt_at == when


def test_the_products_own_job_has_no_owner() -> None:
    job = enqueue(KIND, actor=None)
    assert job.owner is None
    assert AuditEvent.objects.get(action="job.created").actor == "system"


@pytest.mark.parametrize("payload", [None, {}, {"text": "hello"}, Note(), {"count": "1"}])
def test_a_payload_is_stored_whole_and_as_its_model_reads_it(payload: Any) -> None:
    assert enqueue(KIND, payload, actor=None).payload == {"text": "hello", "count": 1}


def test_a_payload_of_another_model_is_read_by_the_kinds_own() -> None:
    assert enqueue(KIND, Other(), actor=None).payload == {"text": "from another model", "count": 1}


@pytest.mark.parametrize(
    ("payload", "faults"),
    [
        ({"text": 1}, {"text"}),
        ({"text": None, "count": "many"}, {"text", "count"}),
        ({"colour": "red"}, {"colour"}),
        ({"count": 1.5, "colour": 1}, {"count", "colour"}),
    ],
)
def test_a_payload_that_does_not_fit_is_refused_with_each_fault_and_its_place(
    payload: dict[str, Any], faults: set[str]
) -> None:
    with pytest.raises(InvalidPayload) as raised:
        enqueue(KIND, payload, actor=None)
    told = raised.value.details["faults"]
    assert {tuple(fault["loc"]) for fault in told} == {(name,) for name in faults}
    assert all(fault["msg"] for fault in told)
    assert raised.value.message.partition(":")[0] in faults
    assert (raised.value.code, raised.value.http_status) == ("job_payload_invalid", 400)
    assert not Job.objects.exists()


def test_what_was_wrong_is_not_quoted() -> None:
    with pytest.raises(InvalidPayload) as raised:
        enqueue(KIND, {"count": "my password"}, actor=None)
    assert "my password" not in f"{raised.value.message}{raised.value.details}"


def test_an_unknown_kind_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(UnknownKind) as raised:
        enqueue("test.nothing", actor=None)
    assert (raised.value.code, raised.value.http_status) == ("job_kind_unknown", 400)
    assert KIND in raised.value.message
    assert not Job.objects.exists()


def test_what_its_permission_hook_refuses_is_not_made(script: Script, ticks: list[str]) -> None:
    script.refuse_with(PermanentFailure(code="grant_missing"))
    with pytest.raises(PermanentFailure):
        enqueue(KIND, actor=None)
    assert not Job.objects.exists()
    assert not AuditEvent.objects.exists()


def test_the_hook_is_shown_the_owner_and_the_payload(script: Script, alice: User) -> None:
    asked: list[Job] = []
    script.check = asked.append
    enqueue(KIND, {"text": "hi"}, actor=actor_of(alice))
    assert [(job.owner, job.payload["text"]) for job in asked] == [(alice, "hi")]


def test_making_a_job_is_recorded_without_its_content(alice: User) -> None:
    job = enqueue(KIND, {"text": "secret"}, actor=actor_of(alice))
    event = AuditEvent.objects.get()
    assert (event.action, event.outcome, event.target_type, event.target_id) == (
        "job.created",
        "succeeded",
        "job",
        str(job.pk),
    )
    assert event.metadata == {"kind": KIND}


# --- The same again ---


def test_the_same_key_and_payload_is_the_same_job(alice: User, script: Script) -> None:
    first = enqueue(KIND, {"text": "hi"}, actor=actor_of(alice), idempotency_key="k")
    again = enqueue(KIND, Note(text="hi"), actor=actor_of(alice), idempotency_key="k", priority=9)
    assert (again.pk, again.priority) == (first.pk, 0)
    assert Job.objects.count() == AuditEvent.objects.count() == 1


def test_the_same_key_with_another_payload_is_refused(alice: User) -> None:
    enqueue(KIND, actor=actor_of(alice), idempotency_key="k")
    with pytest.raises(IdempotencyKeyReused) as raised:
        enqueue(KIND, {"text": "another"}, actor=actor_of(alice), idempotency_key="k")
    assert (raised.value.code, raised.value.http_status) == ("idempotency_key_reused", 422)
    assert Job.objects.count() == 1


@pytest.mark.parametrize("status", S)
def test_a_key_answers_its_job_whatever_became_of_it(status: JobStatus, alice: User) -> None:
    job = make_job(status, owner=alice, idempotency_key="k")
    assert enqueue(KIND, actor=actor_of(alice), idempotency_key="k") == job


def test_keys_are_each_owners_and_kinds_own(alice: User, bob: User) -> None:
    jobs = [
        enqueue(kind, actor=actor, idempotency_key="k")
        for kind in (KIND, SLOW_KIND)
        for actor in (actor_of(alice), actor_of(bob), None)
    ]
    again = enqueue(KIND, actor=None, idempotency_key="k")
    assert len({job.pk for job in jobs}) == 6
    assert again in jobs


def test_without_a_key_the_same_again_is_another_job(alice: User) -> None:
    for _ in range(2):
        enqueue(KIND, actor=actor_of(alice))
    assert Job.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_of_racing_twins_one_is_made_and_both_are_answered(alice: User) -> None:
    for number in range(8):
        key = f"k{number}"
        jobs = both_at_once(
            *[lambda key=key: enqueue(KIND, actor=actor_of(alice), idempotency_key=key)] * 3
        )
        assert len({job.pk for job in jobs}) == 1
    assert Job.objects.count() == AuditEvent.objects.filter(action="job.created").count() == 8


@pytest.mark.django_db(transaction=True)
def test_of_racing_keys_with_different_payloads_one_is_refused(alice: User) -> None:
    def make(text: str) -> str:
        try:
            enqueue(KIND, {"text": text}, actor=actor_of(alice), idempotency_key="k")
        except IdempotencyKeyReused as error:
            return error.code
        return "made"

    assert sorted(both_at_once(lambda: make("a"), lambda: make("b"))) == [
        "idempotency_key_reused",
        "made",
    ]


@pytest.mark.django_db(transaction=True)
def test_a_twin_that_was_faster_does_not_break_the_callers_transaction(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = enqueue(KIND, actor=actor_of(alice), idempotency_key="k")
    module = sys.modules["jobs.services.enqueue"]  # its function has its name
    looks = iter([lambda _job: None, module._find_twin])

    def find(job: Job) -> Job | None:
        look: Callable[[Job], Job | None] = next(looks)
        return look(job)

    monkeypatch.setattr(module, "_find_twin", find)
    with transaction.atomic():
        assert enqueue(KIND, actor=actor_of(alice), idempotency_key="k") == first
        assert Job.objects.count() == 1  # the transaction can go on


# --- In the caller's transaction ---


class Undo(Exception):
    pass


@pytest.mark.django_db(transaction=True)
def test_a_caller_who_rolls_back_leaves_nothing(ticks: list[str]) -> None:
    with pytest.raises(Undo):
        make_and_undo()
    assert not Job.objects.exists()
    assert not AuditEvent.objects.exists()
    assert ticks == []


def make_and_undo() -> None:
    with transaction.atomic():
        enqueue(KIND, actor=None)
        raise Undo


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("count", [1, 2, 50])
def test_one_wake_up_is_sent_for_a_transaction_however_many_jobs_it_makes(
    count: int, ticks: list[str]
) -> None:
    with transaction.atomic():
        for _ in range(count):
            enqueue(KIND, actor=None)
        assert ticks == []
        assert len(connection.run_on_commit) == 1  # nor are thousands asked for
    assert len(ticks) == 1


@pytest.mark.django_db(transaction=True)
def test_jobs_of_a_savepoint_that_was_undone_take_their_wake_up_with_them(
    ticks: list[str],
) -> None:
    with transaction.atomic():
        with pytest.raises(Undo):
            make_and_undo()
        assert ticks == []
    assert ticks == []


@pytest.mark.django_db(transaction=True)
def test_what_remains_when_a_savepoint_is_undone_is_announced(ticks: list[str]) -> None:
    with transaction.atomic():
        enqueue(KIND, actor=None)
        with pytest.raises(Undo):
            make_and_undo()
    assert (Job.objects.count(), len(ticks)) == (1, 1)
    Job.objects.all().delete()


@pytest.mark.django_db(transaction=True)
def test_what_is_made_after_a_savepoint_was_undone_is_announced(ticks: list[str]) -> None:
    with transaction.atomic():
        with pytest.raises(Undo):
            make_and_undo()
        enqueue(KIND, actor=None)
    assert (Job.objects.count(), len(ticks)) == (1, 1)


@pytest.mark.django_db(transaction=True)
def test_without_a_transaction_the_wake_up_is_sent_at_once(ticks: list[str]) -> None:
    enqueue(KIND, actor=None)
    assert len(ticks) == 1


# --- What can't be stored ---


class Anything(Payload):
    """Takes whatever JSON there is."""

    values: dict[str, Any] = {}


class Loose(Handler[Anything]):
    kind = "test.loose"
    payload_model = Anything


def nested(depth: int) -> Any:
    return [nested(depth - 1)] if depth else 1


@pytest.mark.parametrize(
    "value",
    ["a\0b", "\ud800", math.nan, math.inf, {"a\0": 1}, [{"deep": -math.inf}], nested(100)],
    ids=["NUL", "surrogate", "NaN", "infinity", "key", "inside", "deep"],
)
def test_a_payload_that_no_database_holds_is_refused(value: Any, alice: User) -> None:
    payload = {"values": {"it": value}}
    with registered(Loose):
        with pytest.raises(InvalidPayload):
            enqueue(Loose.kind, payload, actor=actor_of(alice))
        with pytest.raises(InvalidPayload):
            create_series(Loose.kind, payload, actor=actor_of(alice), cron="0 9 * * *")
    assert not Job.objects.exists()


@pytest.mark.parametrize("key", ["x" * 256, "a\0", "\udfff"])
def test_a_key_that_no_database_holds_is_refused(key: str, alice: User) -> None:
    with pytest.raises(InvalidInput):
        enqueue(KIND, actor=actor_of(alice), idempotency_key=key)


def test_a_key_may_be_as_long_as_its_column(alice: User) -> None:
    assert enqueue(KIND, actor=actor_of(alice), idempotency_key="字" * 255).idempotency_key
