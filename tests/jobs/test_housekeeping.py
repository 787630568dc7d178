"""What has been kept long enough goes, a batch at a time, by a job of its own."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from django.db.models import Model
from django.utils import timezone
from django_q.models import OrmQ

from config.base import batches
from config.base.errors import LeaseLost
from config.base.models import IdempotencyRecord, RateCount, User
from documents.enums import Change
from documents.models import DocumentVersion
from jobs import housekeeping, services
from jobs.enums import AttemptOutcome, CreateBy, JobStatus
from jobs.handlers import JobCall, NoPayload, Recurrence
from jobs.models import Job, JobAttempt, JobSeries, MissedSlots, WorkerBeat
from jobs.registry import get_handler, list_handlers
from jobs.services.purging import purge_old_jobs
from jobs.testing import run_due_jobs
from tests.plans import analyze, assert_uses_index
from tools.enums import CallStatus
from tools.models import ToolCall, ToolCallContent

pytestmark = [pytest.mark.django_db, pytest.mark.both]

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
OLD, NEW = 3, 2  # of each thing


def answers(alice: User, count: int) -> None:
    for _ in range(count):
        IdempotencyRecord.objects.create(user=alice, key=str(uuid4()), request_digest="")


def counts(_alice: User, count: int) -> None:
    ends = int(time.time()) + 1000
    for _ in range(count):
        RateCount.objects.create(key=str(uuid4()), window_ends=ends, taken=1)


def calls(_alice: User, count: int) -> None:
    for _ in range(count):
        call = ToolCall.objects.create(
            idempotency_key=str(uuid4()),
            tool_slug="fetch",
            tool_type="fetch",
            status=CallStatus.SUCCESS,
        )
        ToolCallContent.objects.create(call=call)


def deletions(alice: User, count: int) -> None:
    for _ in range(count):
        version(alice, uuid4(), 1, Change.DELETED)


def histories(alice: User, count: int) -> None:
    """One document that was changed so many times, and once more."""
    document = uuid4()
    for revision in range(1, count + 2):
        version(alice, document, revision, Change.UPDATED)


def version(alice: User, document_id: UUID, revision: int, change: Change) -> None:
    DocumentVersion.objects.create(
        document_id=document_id,
        owner=alice,
        revision=revision,
        change=change,
        type="document",
        title="Old",
        content="x",
        document_created_at=LONG_AGO,
    )


def jobs(_alice: User, count: int) -> None:
    now = timezone.now()
    for _ in range(count):
        job = Job.objects.create(
            kind="test.old", status=JobStatus.FAILED, scheduled_at=now, finished_at=now
        )
        JobAttempt.objects.create(
            job=job, number=1, outcome=AttemptOutcome.FAILED, started_at=now, finished_at=now
        )


def missed(_alice: User, count: int) -> None:
    series = JobSeries.objects.create(kind="test.old", cron="0 9 * * *")
    for n in range(count):
        day = LONG_AGO + timedelta(days=n, seconds=MissedSlots.objects.count())
        MissedSlots.objects.create(
            series=series, first_planned_at=day, last_planned_at=day, count=1
        )


def beats(_alice: User, count: int) -> None:
    now = timezone.now()
    for _ in range(count):
        WorkerBeat.objects.create(
            name=str(uuid4()), machine="here", slots=2, started_at=now, seen_at=now
        )


def wake_ups(_alice: User, count: int) -> None:
    for _ in range(count):
        OrmQ.objects.create(key="gatehouse", payload="x", lock=timezone.now())


type Make = Callable[[User, int], None]
THINGS: list[tuple[str, str, Make, type[Model], str, object]] = [
    ("idempotency_keys", "answers", answers, IdempotencyRecord, "created_at", LONG_AGO),
    ("rate_counts", "counts", counts, RateCount, "window_ends", int(LONG_AGO.timestamp())),
    ("call_content", "calls", calls, ToolCallContent, "created_at", LONG_AGO),
    ("document_trash", "versions", deletions, DocumentVersion, "created_at", LONG_AGO),
    ("document_versions", "versions", histories, DocumentVersion, "created_at", LONG_AGO),
    ("jobs", "jobs", jobs, Job, "finished_at", LONG_AGO),
    ("jobs", "missed_times", missed, MissedSlots, "noticed_at", LONG_AGO),
    ("jobs", "workers", beats, WorkerBeat, "seen_at", LONG_AGO),
    ("jobs", "wake_ups", wake_ups, OrmQ, "lock", LONG_AGO),
]


def keep_house(noun: str) -> Job:
    job = services.enqueue(f"housekeeping.{noun}", actor=None)
    [done] = [ran for ran in run_due_jobs() if ran.pk == job.pk]
    return done


@pytest.mark.parametrize(("noun", "counted", "make", "model", "column", "when"), THINGS)
def test_it_throws_away_what_is_due_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
    alice: User,
    noun: str,
    counted: str,
    make: Make,
    model: type[Model],
    column: str,
    when: object,
) -> None:
    monkeypatch.setattr(batches, "BATCH", 2)
    make(alice, OLD)
    model._default_manager.update(**{column: when})
    old = list(model._default_manager.values_list("pk", flat=True))
    make(alice, NEW)
    new = set(model._default_manager.values_list("pk", flat=True)) - set(old)
    for gone in (OLD, 0):  # twice is once
        job = keep_house(noun)
        assert job.status == JobStatus.COMPLETED
        assert isinstance(job.result, dict)
        assert (job.result[counted], job.result["is_more"]) == (gone, False)
    left = set(model._default_manager.values_list("pk", flat=True))
    assert new <= left
    assert len(left & set(old)) == len(old) - OLD  # the newest version of a document stays


def test_attempts_go_with_their_jobs_and_calls_stay_in_the_ledger(alice: User) -> None:
    jobs(alice, 1)
    calls(alice, 1)
    Job.objects.update(finished_at=LONG_AGO)
    ToolCallContent.objects.update(created_at=LONG_AGO)
    keep_house("jobs")
    keep_house("call_content")
    assert not JobAttempt.objects.filter(job__kind="test.old").exists()
    assert ToolCall.objects.count() == 1


def test_a_document_leaves_the_trash_with_all_its_versions_or_not_at_all(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("documents.versions.TRASH_BATCH", 1)
    for _ in range(2):
        document = uuid4()
        version(alice, document, 1, Change.UPDATED)
        version(alice, document, 2, Change.DELETED)
    DocumentVersion.objects.update(created_at=LONG_AGO)
    handler = get_handler("housekeeping.document_trash")
    purge = handler.purges["versions"]  # type: ignore[attr-defined]  # a Housekeeping
    assert [purge() for _ in range(3)] == [2, 2, 0]


def call_of(kind: str) -> JobCall[NoPayload]:
    return JobCall(Job(kind=kind), NoPayload())


def test_killed_between_two_batches_it_goes_on_the_next_time(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "BATCH", 1)
    answers(alice, OLD)
    IdempotencyRecord.objects.update(created_at=LONG_AGO)
    handler, call = get_handler("housekeeping.idempotency_keys"), call_of("")
    call.lost.set()
    with pytest.raises(LeaseLost):
        handler.prepare(call)
    assert IdempotencyRecord.objects.count() == OLD
    assert handler.prepare(call_of(""))["answers"] == OLD


def test_it_stops_in_time_and_says_that_there_is_more(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(housekeeping, "WORK_SECONDS", -1.0)
    answers(alice, OLD)
    IdempotencyRecord.objects.update(created_at=LONG_AGO)
    assert keep_house("idempotency_keys").result == {"answers": 0, "is_more": True}
    assert IdempotencyRecord.objects.count() == OLD


def test_each_keeps_house_at_a_minute_of_its_own_and_for_operators() -> None:
    handlers = [h for h in list_handlers() if h.kind.startswith("housekeeping.")]
    assert len(handlers) == 11
    minutes = set[str]()
    for handler in handlers:
        assert isinstance(handler.recurrence, Recurrence)
        minutes.add(handler.recurrence.cron.split()[0])
        assert handler.create_by is CreateBy.OPERATORS
        assert handler.hard_limit_seconds > housekeeping.WORK_SECONDS
    assert len(minutes) == len(handlers)


def test_a_job_that_is_tried_again_is_not_thrown_away(alice: User) -> None:
    jobs(alice, 1)
    Job.objects.update(finished_at=None, status=JobStatus.RETRYING, next_attempt_at=LONG_AGO)
    assert purge_old_jobs() == 0


def test_old_jobs_are_found_by_an_index(alice: User) -> None:
    now = timezone.now()
    Job.objects.bulk_create(
        Job(kind="test.old", status=JobStatus.FAILED, scheduled_at=now, finished_at=now)
        for _ in range(3000)
    )
    analyze(Job)
    assert_uses_index(Job.objects.filter(finished_at__lt=LONG_AGO), "job_finished")
