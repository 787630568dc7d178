"""The alarm that ends a handler, and the one of django-q2 that it must not lose."""

import signal
import threading
from collections.abc import Iterator

import pytest

from jobs.errors import JobTimedOut
from jobs.worker import limits
from jobs.worker.limits import time_limit


def theirs(_signum: int, _frame: object) -> None:
    raise AssertionError("django-q2's own alarm")


@pytest.fixture(autouse=True)
def no_alarm() -> Iterator[None]:
    before = signal.getsignal(signal.SIGALRM)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def seconds_left() -> float:
    return signal.getitimer(signal.ITIMER_REAL)[0]


def test_within_it_an_alarm_is_set_and_afterwards_none() -> None:
    with time_limit(500):
        assert 400 < seconds_left() <= 500
    assert seconds_left() == 0


def test_the_alarm_raises_inside() -> None:
    with pytest.raises(JobTimedOut), time_limit(0.01):
        threading.Event().wait(30)
    assert seconds_left() == 0


def test_it_is_no_error_that_handlers_catch() -> None:
    assert not issubclass(JobTimedOut, Exception)


@pytest.mark.parametrize("fails", [False, True])
def test_an_alarm_that_was_set_before_is_set_again(fails: bool) -> None:
    signal.signal(signal.SIGALRM, theirs)
    signal.setitimer(signal.ITIMER_REAL, 900)
    try:
        with time_limit(60):
            assert seconds_left() <= 60
            if fails:
                raise ValueError
    except ValueError:
        pass
    assert 800 < seconds_left() <= 900
    assert signal.getsignal(signal.SIGALRM) is theirs


def test_what_was_used_up_meanwhile_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter([1000.0, 1500.0])
    monkeypatch.setattr(limits, "time", FakeTime(moments))
    signal.signal(signal.SIGALRM, theirs)
    signal.setitimer(signal.ITIMER_REAL, 900)
    with time_limit(800):
        pass
    assert 300 < seconds_left() <= 400


def test_an_alarm_that_would_have_come_meanwhile_comes_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    moments = iter([1000.0, 3000.0])
    monkeypatch.setattr(limits, "time", FakeTime(moments))
    came = threading.Event()
    signal.signal(signal.SIGALRM, lambda *_: came.set())
    signal.setitimer(signal.ITIMER_REAL, 900)
    with time_limit(800):
        pass
    assert came.wait(30)


class FakeTime:
    def __init__(self, moments: Iterator[float]) -> None:
        self._moments = moments

    def monotonic(self) -> float:
        return next(self._moments)


def test_the_limits_of_jobs_after_one_another_do_not_add_up() -> None:
    for _ in range(3):
        with time_limit(500):
            assert 400 < seconds_left() <= 500
    assert seconds_left() == 0


def test_in_another_thread_there_is_no_alarm() -> None:
    seen = list[float]()

    def limited() -> None:
        with time_limit(500):
            seen.append(seconds_left())

    thread = threading.Thread(target=limited)
    thread.start()
    thread.join()
    assert seen == [0]
