"""The hard limit of a handler: an alarm in the worker's main thread."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from jobs.errors import JobTimedOut


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises `JobTimedOut` inside; code that no signal can reach is ended by `Hold`.

    django-q2 has an alarm of its own on the whole wake-up; it is set again afterwards.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # a runner in some other thread has no alarms
        return
    began = time.monotonic()
    before = signal.signal(signal.SIGALRM, _time_out)
    left, _ = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - began), 0.1))


def _time_out(_signum: int, _frame: FrameType | None) -> None:
    raise JobTimedOut
