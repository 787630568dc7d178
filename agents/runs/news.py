"""Hearing of a run without asking the database again and again.

Within this process whoever writes an event, or lets a run rest, tells those who wait for it. What
another process does is found by looking now and then, so nothing depends on being told.
"""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import UUID

from agents.models import Run

RESTS = "rests"  # told when a driver let go of a run; else the type of an event
ENDS = frozenset({RESTS, "run.finished"})

ELSEWHERE_SECONDS = 0.1  # a run that another process drives
HERE_SECONDS = 1.0

type Ear = Callable[[str], None]

_lock = threading.Lock()
_ears: dict[UUID, list[Ear]] = defaultdict(list)
_drivers: set[str] = set()  # the lease owners of this process


def tell(run_id: UUID, news: str) -> None:
    """After the commit of what it is about; from any thread."""
    with _lock:
        ears = [*_ears.get(run_id, ())]
    for ear in ears:
        ear(news)


@contextmanager
def hearing(run_id: UUID, ear: Ear) -> Iterator[None]:
    """The ear is called in the teller's thread: it may only wake somebody up."""
    with _lock:
        _ears[run_id].append(ear)
    try:
        yield
    finally:
        with _lock:
            _ears[run_id].remove(ear)
            if not _ears[run_id]:
                del _ears[run_id]


def seconds_until_next_look(run: Run) -> float:
    elsewhere = bool(run.lease_owner) and run.lease_owner not in _drivers
    return ELSEWHERE_SECONDS if elsewhere else HERE_SECONDS


def add_driver(owner: str) -> None:
    _drivers.add(owner)


def remove_driver(owner: str) -> None:
    _drivers.discard(owner)
