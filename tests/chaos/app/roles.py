"""Which process is which: django-q2's have no names that can be seen from outside."""

import multiprocessing
from pathlib import Path

CLUSTER, SENTINEL, WORKER, PUSHER, MONITOR = "cluster", "sentinel", "worker", "pusher", "monitor"
PULSE, WATCHDOG, SUPERVISOR = "pulse", "watchdog", "supervisor"
ALL = frozenset({CLUSTER, SENTINEL, WORKER, PUSHER, MONITOR, PULSE, WATCHDOG})


def say(role: str) -> None:
    Path("/proc/self/comm").write_text(role)


def say_target(_anything: object) -> None:
    """In a process that multiprocessing has just forked: its function names it."""
    target = getattr(multiprocessing.current_process(), "_target", None)
    if target is not None:
        say(target.__name__.lower())
