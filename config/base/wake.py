"""Telling the RunHost of this process that a run may go on; a call that ended may say so, too.

Only a hint: a run that nobody was told of is found by the sweep of any process.
"""

from collections.abc import Callable

_listeners: list[Callable[[], None]] = []


def listen(wake: Callable[[], None]) -> None:
    _listeners.append(wake)


def unlisten(wake: Callable[[], None]) -> None:
    if wake in _listeners:
        _listeners.remove(wake)


def wake() -> None:
    """After a commit that made a run runnable. Harmless where no host runs."""
    for listener in (*_listeners,):
        listener()
