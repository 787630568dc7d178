from datetime import timedelta

import pytest
from django.db import DatabaseError, connection, transaction
from pytest_django import Settings

from config.base import audit
from config.base.actor import Actor, Origin
from config.base.models import User
from jobs.models import Job
from jobs.services import enqueue
from jobs.testing import make_due, run_due_jobs
from skills import retention
from skills.job_handlers import AuditEvents
from skills.models import AuditEvent, AuditSeal
from skills.retention import drop_events_sealed_before
from skills.triggers import missing_triggers
from skills.verify import Kind, verify_audit
from tests.skills.audit import NOW, record, record_many, run_sql, seal_all, triggers_lifted

pytestmark = [pytest.mark.both, pytest.mark.django_db]

DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def three_days(db: None) -> None:
    """Two events a day, each day sealed."""
    for day in range(3):
        record_many(2)
        seal_all(NOW + day * DAY)


def drop(days: int) -> int:
    return drop_events_sealed_before(NOW + days * DAY, now=NOW + 9 * DAY, actor=None)


def test_it_drops_whole_segments_and_keeps_their_seals() -> None:
    assert drop(2) == 4
    assert AuditSeal.objects.filter(n__lte=3).count() == 3
    assert [event.reason_code for event in AuditEvent.objects.order_by("id")[:2]] == [
        "event_0",
        "event_1",
    ]
    report = verify_audit()
    assert report.problems == []
    assert report.dropped_through == 2


def test_it_is_audited(operator: User) -> None:
    actor = Actor(user=operator, origin=Origin.ADMIN)
    drop_events_sealed_before(NOW + DAY, now=NOW + 9 * DAY, actor=actor)
    event = AuditEvent.objects.latest("id")
    assert (event.action, event.outcome, event.actor) == (
        "audit.events_dropped",
        "succeeded",
        "operator",
    )
    assert (event.target_type, event.target_id) == ("audit_seal", "1")
    assert event.metadata["events"] == 2


def test_it_does_nothing_when_nothing_is_old_enough() -> None:
    before = AuditEvent.objects.count()
    assert drop(0) == 0
    assert (AuditEvent.objects.count(), AuditSeal.objects.count()) == (before, 3)


def test_it_does_nothing_the_second_time() -> None:
    assert drop(2) == 4
    assert drop(2) == 0
    assert AuditSeal.objects.count() == 4


def test_it_goes_on_later() -> None:
    drop(1)
    seal_all(NOW + 10 * DAY)
    assert drop(3) == 4
    seal_all(NOW + 11 * DAY)
    assert verify_audit().problems == []


def test_it_leaves_what_is_not_sealed_yet() -> None:
    waiting = record("not.sealed")
    drop(9)
    assert AuditEvent.objects.filter(pk=waiting.pk).exists()
    seal_all(NOW + 10 * DAY)
    assert verify_audit().problems == []


def test_the_triggers_are_back_afterwards() -> None:
    drop(2)
    assert missing_triggers(connection) == []
    with pytest.raises(DatabaseError), transaction.atomic():
        run_sql("DELETE FROM skills_auditevent")


def test_a_failure_leaves_everything_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_args: object, **_facts: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(retention, "make_seal", fail)
    with pytest.raises(RuntimeError):
        drop(2)
    assert AuditEvent.objects.count() == 6
    assert missing_triggers(connection) == []
    assert verify_audit().problems == []


def test_what_is_put_back_under_a_dropped_segment_is_named() -> None:
    old = AuditEvent.objects.earliest("id")
    drop(2)
    AuditEvent.objects.bulk_create([old])
    assert [(problem.kind, problem.event) for problem in verify_audit().problems] == [
        (Kind.INSERTED, old.pk)
    ]


def test_deleting_more_than_retention_did_is_named() -> None:
    drop(1)
    with triggers_lifted():
        run_sql(
            "DELETE FROM skills_auditevent WHERE id <= %s", [AuditSeal.objects.get(n=2).last_event]
        )
    assert [problem.kind for problem in verify_audit().problems] == [Kind.DELETED] * 2


def test_each_deletion_says_how_it_ended() -> None:
    drop(1)
    assert AuditEvent.objects.latest("id").outcome == audit.Outcome.SUCCEEDED


@pytest.mark.parametrize(("days", "dropped"), [(0, 0), (1, 4), (2, 2), (4, 0)])
def test_housekeeping_drops_what_is_older_than_the_setting_says(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, days: int, dropped: int
) -> None:
    now = NOW + 3 * DAY - timedelta(hours=1)
    monkeypatch.setattr("django.utils.timezone.now", lambda: now)
    settings.AUDIT_DAYS = days
    assert retention.drop_old_events() == dropped
    assert verify_audit().problems == []


def test_housekeeping_drops_a_few_segments_at_a_time(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("django.utils.timezone.now", lambda: NOW + 9 * DAY)
    monkeypatch.setattr(retention, "SEGMENTS", 2)
    settings.AUDIT_DAYS = 1
    assert [retention.drop_old_events() for _ in range(3)] == [4, 2, 0]
    seal_all(NOW + 10 * DAY)
    assert verify_audit().problems == []


def test_a_job_that_is_killed_between_two_batches_goes_on_with_the_rest(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.AUDIT_DAYS = 1
    monkeypatch.setattr(retention, "SEGMENTS", 1)
    job = enqueue("housekeeping.audit_events", actor=None)
    batches = iter((retention.drop_old_events, die))

    def next_batch() -> int:
        return next(batches)()

    with monkeypatch.context() as patched:
        patched.setitem(AuditEvents.purges, "events", next_batch)
        run_due_jobs()
    assert (AuditEvent.objects.filter(action="audit.events_dropped").count(), status_of(job)) == (
        1,
        "retrying",
    )
    assert verify_audit().problems == []
    make_due(job)
    run_due_jobs()
    job.refresh_from_db()
    assert job.status == "completed"
    assert job.result
    assert job.result["events"] == 4
    assert AuditEvent.objects.filter(action="audit.events_dropped").count() == 3
    seal_all(NOW + 10 * DAY)
    assert verify_audit().problems == []


def die() -> int:
    raise OSError


def status_of(job: Job) -> str:
    return Job.objects.get(pk=job.pk).status


def test_housekeeping_keeps_all_events_unless_told_otherwise(settings: Settings) -> None:
    assert settings.AUDIT_DAYS == 0
    assert retention.drop_old_events() == 0
