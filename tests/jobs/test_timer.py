"""The timers of the workers: nobody waits for one who died with it."""

import multiprocessing
import os
import signal
from contextlib import suppress

import pytest
from django_q import cluster

from jobs import q2, timer
from jobs.timer import Timer
from tests.processes.waiting import PATIENCE_SECONDS

forks = multiprocessing.get_context("fork")


def test_it_is_what_was_written_last_in_whichever_process() -> None:
    shared = Timer("f", -1)
    assert shared.value == -1
    child = forks.Process(target=lambda: setattr(shared, "value", 12.5))
    child.start()
    child.join(PATIENCE_SECONDS)
    assert (child.exitcode, shared.value) == (0, 12.5)


def test_who_has_the_lock_may_write_inside_it() -> None:
    shared = Timer("f", 3)
    with shared.get_lock():
        shared.value -= 1
        shared.value -= 1
    assert shared.value == 1


def test_it_goes_on_when_somebody_died_with_its_lock() -> None:
    shared = Timer("f", 3)

    def die() -> None:
        with shared.get_lock():
            os.kill(os.getpid(), signal.SIGKILL)

    child = forks.Process(target=die)
    child.start()
    child.join(PATIENCE_SECONDS)
    assert child.exitcode == -signal.SIGKILL
    assert not shared._lock.acquire(timeout=0)  # it was taken along
    with shared.get_lock():
        shared.value = -1
    assert shared.value == -1


def test_an_error_inside_gives_the_lock_back() -> None:
    shared = Timer("f", 3)
    with suppress(ValueError), shared.get_lock():
        raise ValueError
    child = forks.Process(target=lambda: os._exit(shared._lock.acquire(timeout=0)))
    child.start()
    child.join(PATIENCE_SECONDS)
    assert child.exitcode == 1


def test_the_cluster_makes_its_timers_of_these(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster.Cluster, "start", lambda self: 0)
    monkeypatch.setattr(cluster, "Value", None)
    monkeypatch.setattr(cluster, "Queue", None)
    q2.start_cluster()
    assert cluster.Value is timer.Timer
