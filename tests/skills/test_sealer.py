import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.db import connection, transaction
from django.utils import timezone

from config.base.leases import hold_duty
from skills import sealer
from skills.horizon import Horizon
from skills.models import AuditEvent, AuditSeal
from skills.sealer import SealerHost, seal_once
from skills.triggers import drop_triggers, missing_triggers
from skills.verify import verify_audit
from tests.skills.audit import (
    NOW,
    PATIENCE_SECONDS,
    Thread,
    record,
    record_many,
    seal_all,
    sealed_ids,
)

pytestmark = pytest.mark.both


def event_ids() -> list[int]:
    return list(AuditEvent.objects.order_by("id").values_list("id", flat=True))


@pytest.mark.django_db
def test_it_seals_what_was_recorded_since_the_last_seal() -> None:
    record_many(3)
    first = seal_once(NOW)
    record_many(2)
    second = seal_once(NOW)
    assert first is not None
    assert second is not None
    assert (first.event_count, second.event_count) == (3, 2)
    assert second.previous == first.hmac
    assert sealed_ids() == event_ids()
    assert not verify_audit().problems


@pytest.mark.django_db
def test_it_makes_no_seal_when_nothing_happened() -> None:
    assert seal_once(NOW) is None
    record_many(1)
    assert seal_once(NOW) is not None
    assert seal_once(NOW) is None


@pytest.mark.django_db
def test_it_seals_much_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealer, "BATCH", 4)
    record_many(10)
    assert [seal.event_count for seal in seal_all()] == [4, 4, 2]
    assert sealed_ids() == event_ids()


@pytest.mark.django_db
def test_ids_that_were_rolled_back_leave_gaps_that_are_no_problem() -> None:
    for number in range(6):
        with transaction.atomic():
            record(reason_code=str(number))
            transaction.set_rollback(number % 2 == 1)
    seal_all()
    assert len(sealed_ids()) == 3
    assert not verify_audit().problems


class OpenTransaction:
    """Somebody who records, and commits when told."""

    def __init__(self, *, roll_back: bool = False) -> None:
        self._recorded, self._end = threading.Event(), threading.Event()
        self._roll_back = roll_back
        self._thread = Thread(self._work)
        assert self._recorded.wait(PATIENCE_SECONDS)

    def _work(self) -> None:
        with transaction.atomic():
            record("late.event")
            self._recorded.set()
            assert self._end.wait(PATIENCE_SECONDS)
            transaction.set_rollback(self._roll_back)

    def end(self) -> None:
        self._end.set()
        self._thread.finish()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("roll_back", [False, True])
def test_an_event_that_commits_late_is_sealed_in_its_place(roll_back: bool) -> None:
    """On PostgreSQL a later event is committed first; on SQLite its writer has to wait."""
    late = OpenTransaction(roll_back=roll_back)
    quick = Thread(lambda: record("quick.event"))
    quick.join(PATIENCE_SECONDS if connection.vendor == "postgresql" else 0.1)
    assert AuditEvent.objects.count() == (1 if connection.vendor == "postgresql" else 0)
    horizon = Horizon()
    assert seal_once(NOW, horizon) is None  # the lower id may yet turn up
    late.end()
    quick.finish()
    while seal_once(NOW, horizon):
        pass
    actions = [event.action for event in AuditEvent.objects.order_by("id")]
    assert actions == (["quick.event"] if roll_back else ["late.event", "quick.event"])
    assert sealed_ids() == event_ids()
    assert not verify_audit().problems


@pytest.mark.django_db(transaction=True)
def test_many_writers_and_several_sealers_make_one_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealer, "BATCH", 3)
    writing = threading.Event()

    def write() -> None:
        for number in range(12):
            with transaction.atomic():
                record(reason_code=str(number))
                record(reason_code=str(number))
                transaction.set_rollback(number % 4 == 3)

    def seal() -> None:
        horizon = Horizon()
        while not writing.is_set():
            seal_once(timezone.now(), horizon)

    writers = [Thread(write) for _ in range(4)]
    sealers = [Thread(seal) for _ in range(3)]
    for writer in writers:
        writer.finish()
    writing.set()
    for thread in sealers:
        thread.finish()
    seal_all()
    assert AuditEvent.objects.count() == 4 * 9 * 2
    assert sealed_ids() == event_ids()
    assert list(AuditSeal.objects.order_by("n").values_list("n", flat=True)) == list(
        range(1, AuditSeal.objects.count() + 1)
    )
    assert not verify_audit().problems


@contextmanager
def somebody_elses_turn() -> Iterator[None]:
    """Another process is at it: an advisory lock on PostgreSQL, a lease on SQLite."""
    if connection.vendor == "sqlite":
        assert hold_duty(sealer.DUTY, owner="another process", seconds=60)
        yield
        return
    taken, end = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            assert sealer.take_turn()
            taken.set()
            assert end.wait(PATIENCE_SECONDS)

    thread = Thread(hold)
    assert taken.wait(PATIENCE_SECONDS)
    yield
    end.set()
    thread.finish()


@pytest.mark.django_db(transaction=True)
def test_it_leaves_it_to_the_one_whose_turn_it_is() -> None:
    record_many(1)
    with somebody_elses_turn():
        assert seal_once(NOW) is None
    assert not AuditSeal.objects.exists()


def until(condition: Callable[[], bool]) -> None:
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < PATIENCE_SECONDS, "it never came true"
        time.sleep(0.01)


@contextmanager
def running_host() -> Iterator[SealerHost]:
    host = SealerHost()
    host.start()
    try:
        yield host
    finally:
        host.stop()


@pytest.mark.django_db(transaction=True)
def test_the_host_is_at_most_a_second_behind() -> None:
    with running_host():
        record_many(2)
        until(AuditSeal.objects.exists)
    assert sealer.TICK_SECONDS < 1


@pytest.mark.django_db(transaction=True)
def test_the_host_seals_much_in_one_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealer, "BATCH", 2)
    with running_host() as host:
        record_many(5)
        host.stop()
    assert [seal.event_count for seal in AuditSeal.objects.order_by("n")] == [2, 2, 1]


@pytest.mark.django_db(transaction=True)
def test_the_host_stops_at_once_and_seals_the_rest_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sealer, "TICK_SECONDS", 1000)  # it does not wait for its next round
    monkeypatch.setattr(sealer, "STOP_SECONDS", PATIENCE_SECONDS)
    with running_host() as host:
        record_many(2)
        host.stop()
        assert not host._thread.is_alive()
    assert sealed_ids() == event_ids()


@pytest.mark.django_db(transaction=True)
def test_the_host_gives_its_turn_back(monkeypatch: pytest.MonkeyPatch) -> None:
    with running_host():
        record_many(1)
        until(AuditSeal.objects.exists)
    monkeypatch.setattr(sealer, "_owner", "another process")
    record_many(1)
    assert seal_once(NOW) is not None


@pytest.mark.django_db(transaction=True)
def test_the_host_makes_missing_triggers_again_and_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    drop_triggers(connection)
    with running_host():
        until(lambda: not missing_triggers(connection))
    assert AuditEvent.objects.get().action == "audit.triggers_remade"
    assert "the audit could be changed" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_the_host_writes_the_head_to_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "skills.sealer"), running_host():
        record_many(1)
    assert AuditSeal.objects.get().head in caplog.text


@pytest.mark.django_db(transaction=True)
def test_the_host_goes_on_after_the_database_failed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    failures = iter([ConnectionError("gone"), ConnectionError("still gone")])

    def flaky(*args: object) -> AuditSeal | None:
        for failure in failures:
            raise failure
        return seal_once(*args)  # type: ignore[arg-type]  # handed through

    monkeypatch.setattr(sealer, "TICK_SECONDS", 0.01)
    monkeypatch.setattr(sealer, "seal_once", flaky)
    record_many(1)
    with running_host():
        until(AuditSeal.objects.exists)
    assert caplog.text.count("can't be sealed") == 1
