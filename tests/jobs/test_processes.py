"""One step each of the pulse and of the watchdog, and the loop they go round in."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import DatabaseError
from django.db.models.functions import Now

from config.base.sqlite.machine import OtherMachine
from jobs import q2
from jobs.enums import JobStatus
from jobs.models import Job, PausedKind, WorkerBeat
from jobs.processes import pulse, watchdog
from jobs.processes.loop import loop
from jobs.processes.pulse import BEAT_SECONDS, Pulse
from jobs.processes.watchdog import GRACE_SECONDS, PULSE_SECONDS, STALLED_SECONDS, Watchdog
from jobs.worker import activity
from tests.jobs.factories import JobFactory, make_job
from tests.jobs.steps import expire

pytestmark = [pytest.mark.both, pytest.mark.django_db]


class Clock:
    def __init__(self) -> None:
        self.seconds = 50_000.0

    def monotonic(self) -> float:
        return self.seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    """Of the machine: the same for all its processes."""
    clock = Clock()
    for module in (activity, pulse, watchdog):
        monkeypatch.setattr(module, "time", clock)
    activity.forget()
    activity.pulse()
    yield clock
    monkeypatch.undo()
    activity.forget()


@pytest.fixture
def restarts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    asked: list[str] = []
    monkeypatch.setattr(watchdog, "request_restart", lambda name, _reason: asked.append(name))
    return asked


# --- The pulse ---


def due() -> None:
    JobFactory.create()


def lease_ran_out() -> None:
    expire(make_job(JobStatus.RUNNING))


def nothing() -> None:
    JobFactory.create(future=True)
    make_job(JobStatus.RUNNING)
    make_job(JobStatus.COMPLETED)


def due_and_paused() -> None:
    PausedKind.objects.create(kind=JobFactory.create().kind)


@pytest.mark.parametrize(
    ("state", "woken"), [(due, 1), (lease_ran_out, 1), (nothing, 0), (due_and_paused, 0)]
)
def test_the_pulse_wakes_for_what_no_commit_announces(
    state: Callable[[], None], woken: int, clock: Clock, ticks: list[str]
) -> None:
    state()
    clock.seconds += 3
    Pulse().step()
    assert len(ticks) == woken
    assert activity.pulse_age_seconds() == 0


def test_two_pulses_send_one_wake_up(clock: Clock, ticks: list[str]) -> None:
    due()
    for _ in range(2):
        Pulse().step()
    assert len(ticks) == 1


def test_the_pulse_says_every_few_seconds_that_its_workers_live(
    clock: Clock, settings: LazySettings
) -> None:
    settings.JOB_WORKERS = 7
    one = Pulse()
    one.step()
    beat = WorkerBeat.objects.get()
    assert (beat.slots, beat.started_at, bool(beat.machine)) == (7, beat.seen_at, True)
    WorkerBeat.objects.update(seen_at=Now(), slots=1)
    clock.seconds += BEAT_SECONDS - 0.1
    one.step()
    assert WorkerBeat.objects.get().slots == 1
    clock.seconds += 0.1
    one.step()
    again = WorkerBeat.objects.get()
    assert again.slots == 7
    assert again.started_at == beat.started_at
    assert again.seen_at >= beat.seen_at
    one.stop()
    assert not WorkerBeat.objects.exists()


def test_a_pulse_without_a_database_still_says_that_it_looks(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Restarting it would not bring the database back."""

    def fail() -> bool:
        raise DatabaseError

    monkeypatch.setattr(pulse, "work_waits", fail)
    clock.seconds += 100
    with pytest.raises(DatabaseError):
        Pulse().step()
    assert activity.pulse_age_seconds() == 0


def test_a_pulse_whose_database_is_another_machine_s_wakes_nobody_and_says_so_once(
    clock: Clock,
    ticks: list[str],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def refuse() -> None:
        raise OtherMachine("Another machine (attic) runs it.")

    due()
    one = Pulse()
    with monkeypatch.context() as displaced:
        displaced.setattr(pulse, "hold_database", refuse)
        for _ in range(3):
            clock.seconds += BEAT_SECONDS
            one.step()
    assert ticks == []
    assert not WorkerBeat.objects.exists()  # /readyz must not count on it
    assert [record.levelname for record in caplog.records if "attic" in record.message] == [
        "CRITICAL"
    ]
    clock.seconds += BEAT_SECONDS
    one.step()  # it is ours again
    assert len(ticks) == 1


# --- The watchdog ---


def watch(dog: Watchdog, clock: Clock, seconds: float) -> None:
    """A look a second, while the pulse lives."""
    for _ in range(int(seconds)):
        clock.seconds += 1
        activity.pulse()
        dog.step()


def test_due_jobs_and_a_free_slot_for_a_while_are_a_stall(
    clock: Clock, restarts: list[str]
) -> None:
    due()
    dog = Watchdog()
    watch(dog, clock, GRACE_SECONDS + STALLED_SECONDS - 1)
    assert restarts == []
    watch(dog, clock, 1)
    assert restarts == ["worker"]


def test_after_a_restart_it_waits_before_it_judges_again(clock: Clock, restarts: list[str]) -> None:
    due()
    dog = Watchdog()
    watch(dog, clock, GRACE_SECONDS + STALLED_SECONDS)
    watch(dog, clock, GRACE_SECONDS + STALLED_SECONDS - 1)
    assert restarts == ["worker"]
    watch(dog, clock, 2)
    assert restarts == ["worker", "worker"]


@pytest.mark.parametrize(
    "state",
    [nothing, due_and_paused, lambda: Job.objects.filter(pk=JobFactory.create().pk).delete()],
    ids=["nothing is due", "what is due is paused", "nothing is there"],
)
def test_a_queue_without_due_jobs_is_no_stall(
    state: Callable[[], Any], clock: Clock, restarts: list[str]
) -> None:
    state()
    watch(Watchdog(), clock, 100)
    assert restarts == []


def test_a_job_that_has_just_become_due_is_no_stall(clock: Clock, restarts: list[str]) -> None:
    job = JobFactory.create()
    Job.objects.filter(pk=job.pk).update(next_attempt_at=Now())
    watch(Watchdog(), clock, 100)
    assert restarts == []


def test_workers_that_are_all_at_work_are_no_stall(
    clock: Clock, restarts: list[str], monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    settings.JOB_WORKERS = 2
    working = 2
    monkeypatch.setattr(activity, "count_working", lambda: working)
    due()
    dog = Watchdog()
    watch(dog, clock, 100)
    assert restarts == []
    working = 1
    watch(dog, clock, STALLED_SECONDS + 1)
    assert restarts == ["worker"]


def test_an_interruption_begins_the_count_anew(
    clock: Clock, restarts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    due()
    dog = Watchdog()
    watch(dog, clock, GRACE_SECONDS + STALLED_SECONDS - 1)
    for _ in range(5):
        with monkeypatch.context() as busy:
            busy.setattr(activity, "count_working", lambda: 99)
            watch(dog, clock, 1)
        watch(dog, clock, STALLED_SECONDS)
    assert restarts == []
    watch(dog, clock, 1)
    assert restarts == ["worker"]


def test_an_outage_of_the_database_is_no_stall(
    clock: Clock, restarts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """When it is back, workers have their time again: nobody could have claimed meanwhile."""

    def fail() -> float:
        raise DatabaseError

    due()
    dog = Watchdog()
    watch(dog, clock, GRACE_SECONDS + 2)
    with monkeypatch.context() as away:
        away.setattr(watchdog, "queue_age_seconds", fail)
        for _ in range(60):
            with pytest.raises(DatabaseError):
                watch(dog, clock, 1)
    watch(dog, clock, STALLED_SECONDS)
    assert restarts == []
    watch(dog, clock, 1)
    assert restarts == ["worker"]


def test_a_lock_that_keeps_everybody_from_writing_is_no_stall(
    clock: Clock, restarts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can claim, no wake-up can be sent: idle are then those who would never get one."""
    due()
    dog = Watchdog()
    watch(dog, clock, GRACE_SECONDS + 2)
    with monkeypatch.context() as locked:
        locked.setattr(watchdog, "transaction", SimpleNamespace(atomic=lambda: waiting(clock)))
        watch(dog, clock, int(watchdog.LOCKED_SECONDS / 2) - 2)
    watch(dog, clock, STALLED_SECONDS)
    assert restarts == []
    watch(dog, clock, 1)
    assert restarts == ["worker"]


def test_a_lock_that_is_never_given_back_may_be_a_workers_own(
    clock: Clock, restarts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    due()
    dog = Watchdog()
    monkeypatch.setattr(watchdog, "transaction", SimpleNamespace(atomic=lambda: waiting(clock)))
    watch(dog, clock, GRACE_SECONDS + watchdog.LOCKED_SECONDS + STALLED_SECONDS)
    assert restarts[:1] == ["worker"]


def test_a_broker_that_is_away_is_not_mended_by_a_restart(
    clock: Clock, restarts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    due()
    monkeypatch.setattr(q2, "broker_answers", lambda: False)
    watch(Watchdog(), clock, GRACE_SECONDS + 60)
    assert restarts == []


@contextmanager
def waiting(clock: Clock) -> Iterator[None]:
    clock.seconds += watchdog.BUSY_SECONDS
    yield


def test_a_pulse_that_looks_no_more_is_restarted(clock: Clock, restarts: list[str]) -> None:
    dog = Watchdog()
    clock.seconds += PULSE_SECONDS
    dog.step()
    assert restarts == []
    clock.seconds += 0.1
    dog.step()
    dog.step()
    assert restarts == ["pulse"]


# --- The loop ---


@pytest.fixture
def signals() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_loop_goes_on_after_failures_and_ends_when_told(
    number: signal.Signals, caplog: pytest.LogCaptureFixture
) -> None:
    steps = iter([None, DatabaseError(), DatabaseError(), None, ValueError(), ValueError(), None])
    done = 0

    def step() -> None:
        nonlocal done
        done += 1
        error = next(steps)
        if done == 7:
            signal.raise_signal(number)
        if error:
            raise error

    loop(step, every_seconds=0)
    assert done == 7
    said = [record for record in caplog.records if record.levelname == "ERROR"]
    assert len(said) == 2  # each outage once, when it begins
    assert "again every 0 s" in caplog.text
