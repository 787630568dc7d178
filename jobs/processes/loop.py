"""A process that does one small thing again and again until it is told to stop."""

import logging
import signal
from collections.abc import Callable
from queue import Empty, SimpleQueue

from django.db import connection

log = logging.getLogger(__name__)


def loop(step: Callable[[], None], *, every_seconds: float) -> None:
    """One step that fails stops nothing: an outage of the database is said once, when it begins."""
    told = SimpleQueue[int]()  # an Event's lock could be held by the very code that is interrupted
    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, lambda signum, _frame: told.put(signum))
    failing = False
    while not _is_told(told, every_seconds):
        try:
            step()
            failing = False
        except Exception:
            if not failing:
                log.exception("a look at the jobs failed; trying again every %g s", every_seconds)
            failing = True
            connection.close()


def _is_told(told: SimpleQueue[int], seconds: float) -> bool:
    try:
        told.get(timeout=seconds)
    except Empty:
        return False
    return True
