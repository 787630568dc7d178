"""Signals as something to wait for: nothing of the supervisor's own happens inside a handler."""

import contextlib
import signal
import socket
from collections.abc import Iterator
from types import FrameType

STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
HEARD = (*STOPPING, signal.SIGCHLD)


class HeardSignals:
    def __init__(self) -> None:
        self._hearing, self._telling = socket.socketpair()
        self._hearing.setblocking(False)
        self._telling.setblocking(False)
        signal.set_wakeup_fd(self._telling.fileno(), warn_on_full_buffer=False)
        under_nohup = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        self._heard = [s for s in HEARD if s != signal.SIGHUP or not under_nohup]
        for signum in self._heard:
            signal.signal(signum, _nothing)  # without a handler nothing is written

    def fileno(self) -> int:
        return self._hearing.fileno()

    def read(self) -> set[int]:
        heard = set[int]()
        with contextlib.suppress(BlockingIOError):
            while numbers := self._hearing.recv(256):
                heard.update(numbers)
        return heard

    def restore(self) -> None:
        """In a child: signals are its own again, and none of them reaches the supervisor."""
        signal.set_wakeup_fd(-1)
        for signum in self._heard:
            signal.signal(signum, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        self._hearing.close()
        self._telling.close()


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """Across a fork: what comes now waits until both processes know which one they are."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, HEARD)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _nothing(_signum: int, _frame: FrameType | None) -> None:
    return
