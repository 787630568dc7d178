"""Imported by a supervisor, it takes the room for processes away: the first two forks fail."""

import os

from tests.processes.mains import rest

__all__ = ["rest"]

_fork = os.fork
_failures = [BlockingIOError("no room"), BlockingIOError("no room")]


def _scarce_fork() -> int:
    if _failures:
        raise _failures.pop()
    return _fork()


os.fork = _scarce_fork
