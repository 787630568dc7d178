"""The supervisor's pure parts: when a child starts again, how its end is told, how one asks."""

import os
import signal
from collections.abc import Iterator

import pytest

from config.base.processes import requests
from config.base.processes.child import Child, describe_end, restart_delay
from config.base.processes.requests import NotSupervised, Requests, request_restart


def test_the_delay_doubles_up_to_ten_seconds() -> None:
    delays = [restart_delay(deaths) for deaths in range(1, 9)]
    assert delays == [0, 0.5, 1, 2, 4, 8, 10, 10]
    assert restart_delay(1_000_000) == 10


def child_that_lived(*seconds: float) -> Child:
    """So long each time; the clock stands at the last death."""
    child, now = Child("x", main=lambda: None), 0.0
    for lived in seconds:
        child.pid, child.started_at = pid_of_nobody(), now
        now += lived
        child.bury(now)
    return child


def pid_of_nobody() -> int:
    """Just ended, so that no group has this number."""
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return pid


@pytest.mark.parametrize(
    ("lives", "delay"),
    [
        ([1.0], 0.0),
        ([100.0], 0.0),
        ([1.0, 1.0], 0.5),
        ([1.0, 1.0, 9.9], 1.0),
        ([1.0, 1.0, 10.0], 0.0),  # it had come up
        ([1.0, 1.0, 10.0, 1.0], 0.5),
    ],
)
def test_only_quick_deaths_in_a_row_put_off_a_start(lives: list[float], delay: float) -> None:
    child = child_that_lived(*lives)
    assert child.starts_at == pytest.approx(sum(lives) + delay)
    assert child.pid == 0


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (0, "ended with exit code 0"),
        (3 << 8, "ended with exit code 3"),
        (signal.SIGKILL, "was ended by SIGKILL"),
        (signal.SIGSEGV | 0x80, "was ended by SIGSEGV"),  # with a core dump
        (40, "was ended by signal 40"),  # one of the nameless ones for real-time
    ],
)
def test_an_end_is_told_in_words(status: int, words: str) -> None:
    assert describe_end(status) == words


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> Iterator[Requests]:
    monkeypatch.setattr(requests, "_asking", None)
    heard = Requests()
    yield heard
    heard.close()
    assert requests._asking is not None
    requests._asking.close()


def test_a_request_has_a_name_and_a_reason(heard: Requests) -> None:
    request_restart("worker", "no job was claimed\nfor 30 s")
    request_restart("web", "")
    assert list(heard.read()) == [("worker", "no job was claimed\nfor 30 s"), ("web", "")]
    assert list(heard.read()) == []


def test_a_reason_may_be_cut_anywhere(heard: Requests) -> None:
    request_restart("worker", "期" * 5_000)
    [(name, reason)] = heard.read()
    assert name == "worker"
    assert reason.startswith("期期期")
    assert len(reason.encode()) <= requests.REQUEST_BYTES + len("�".encode())


def test_without_a_supervisor_nobody_can_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "_asking", None)
    with pytest.raises(NotSupervised):
        request_restart("worker", "it stalls")
