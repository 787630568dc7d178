"""Who is at work: said by a thread beside the work, so that no lock makes an idler of anybody."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.models.functions import Now

from jobs.enums import JobStatus
from jobs.models import Wake
from jobs.waking import wake
from jobs.worker import activity, tick
from jobs.worker.activity import at_work, count_working
from tests.jobs.factories import JobFactory
from tests.jobs.handlers import Script
from tests.jobs.steps import stored
from tests.processes.waiting import until
from tests.threads import PATIENCE_SECONDS


class Clock:
    def __init__(self) -> None:
        self.seconds = 50_000.0

    def monotonic(self) -> float:
        return self.seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(activity, "time", clock)
    return clock


@pytest.fixture(autouse=True)
def nobody_works(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    activity.forget()
    yield
    monkeypatch.undo()
    activity.forget()


def test_a_process_is_at_work_until_it_rests(clock: Clock) -> None:
    assert count_working() == 0
    activity.beat()
    activity.beat()
    assert count_working() == 1
    activity.rest()
    assert count_working() == 0


def test_one_that_says_nothing_for_a_while_is_not_at_work(clock: Clock) -> None:
    """It was killed, or hangs."""
    activity.beat()
    clock.seconds += activity.FRESH_SECONDS - 0.1
    assert count_working() == 1
    clock.seconds += 0.2
    assert count_working() == 0


def test_each_process_is_counted(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    for pid in (100, 101, 102, 100, 100 + 256, 100 + 4096):
        monkeypatch.setattr(os, "getpid", lambda pid=pid: pid)
        activity.beat()
    assert count_working() == 5


def test_a_new_set_of_workers_begins_with_nothing(clock: Clock) -> None:
    activity.pulse()
    activity.beat()
    activity.stop_working()
    assert activity.is_stopping()
    activity.forget()
    assert not activity.is_stopping()
    assert count_working() == 0
    assert activity.pulse_age_seconds() == 0  # the pulse is no worker


def test_the_pulse_says_when_it_looked(clock: Clock) -> None:
    activity.pulse()
    clock.seconds += 7
    assert activity.pulse_age_seconds() == 7
    activity.pulse()
    assert activity.pulse_age_seconds() == 0


# --- As long as something is done ---


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(activity, "AGAIN_SECONDS", 0.001)


@pytest.mark.usefixtures("quick")
def test_whoever_waits_for_something_is_at_work_and_rests_afterwards(clock: Clock) -> None:
    with at_work(most_seconds=60):
        for _ in range(3):
            clock.seconds += activity.FRESH_SECONDS + 1
            until(lambda: count_working() == 1)
    assert count_working() == 0


@pytest.mark.usefixtures("quick")
def test_what_hangs_for_too_long_is_no_work_any_more(clock: Clock) -> None:
    with at_work(most_seconds=60):
        clock.seconds += 60 + activity.FRESH_SECONDS
        until(lambda: count_working() == 0)
        clock.seconds += 1
        assert count_working() == 0


def test_a_failure_ends_it_too(clock: Clock) -> None:
    with pytest.raises(ValueError, match="broken"), at_work(most_seconds=60):
        raise ValueError("broken")
    assert count_working() == 0


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("quick", "ticks")
def test_a_tick_that_waits_for_a_lock_is_at_work(script: Script, clock: Clock) -> None:
    """SQLite's only one, or that of a row: nothing in there can be said by a query."""
    job = JobFactory.create()
    wake()
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Wake.objects.update(pending_until=Now() + timedelta(minutes=1))
            working = pool.submit(tick_elsewhere)
            for _ in range(3):
                clock.seconds += activity.FRESH_SECONDS + 1
                until(lambda: count_working() == 1)
            assert stored(job).status == JobStatus.SCHEDULED
        working.result(PATIENCE_SECONDS)
    assert count_working() == 0
    assert stored(job).status == JobStatus.COMPLETED


def tick_elsewhere() -> None:
    try:
        tick()
    finally:
        connection.close()
