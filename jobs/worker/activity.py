"""Which workers are at work, and whether they are to stop: memory that all children share.

Made before the first fork. A worker that is killed in the middle of a write harms nobody: there
are no locks in it. CLOCK_MONOTONIC is the machine's, the same for all its processes.
"""

import mmap
import os
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_SLOTS = 8192  # of two processes that share one, only one is counted: a stall that is none
_TIME = struct.Struct("d")
_PULSE = _SLOTS * _TIME.size
_STOP = _PULSE + _TIME.size
_shared = mmap.mmap(-1, _STOP + 1)

FRESH_SECONDS = 5.0
AGAIN_SECONDS = 1.0


@contextmanager
def at_work(*, most_seconds: float) -> Iterator[None]:
    """Said by a thread that asks no database: whoever waits for a lock in there is not idle.

    For `most_seconds` and no longer: what is not done by then hangs.
    """
    done = threading.Event()
    until = time.monotonic() + most_seconds
    teller = threading.Thread(target=_tell, args=(done, until), name="job-activity", daemon=True)
    beat()
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()
        rest()


def _tell(done: threading.Event, until: float) -> None:
    while not done.wait(AGAIN_SECONDS) and time.monotonic() < until:
        beat()


def beat() -> None:
    """This process is at work."""
    _TIME.pack_into(_shared, _place(), time.monotonic())


def rest() -> None:
    """This process waits for a wake-up."""
    _TIME.pack_into(_shared, _place(), 0.0)


def count_working() -> int:
    """Processes that said within the last seconds that they are at work."""
    since = time.monotonic() - FRESH_SECONDS
    return sum(said > since for (said,) in _TIME.iter_unpack(_shared[:_PULSE]))


def forget() -> None:
    """A new set of workers begins: nobody is at work, and nobody stops."""
    _shared[:_PULSE] = bytes(_PULSE)
    _shared[_STOP] = 0


def pulse() -> None:
    """The pulse looks."""
    _TIME.pack_into(_shared, _PULSE, time.monotonic())


def pulse_age_seconds() -> float:
    (said,) = _TIME.unpack_from(_shared, _PULSE)
    return time.monotonic() - float(said)


def stop_working() -> None:
    _shared[_STOP] = 1


def is_stopping() -> bool:
    return _shared[_STOP] == 1


def _place() -> int:
    return os.getpid() % _SLOTS * _TIME.size
