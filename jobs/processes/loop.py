"""A process that does one small thing again and again until it is told to stop."""

import logging
import signal
import threading
from collections.abc import Callable

from django.db import connection

log = logging.getLogger(__name__)


def loop(step: Callable[[], None], *, every_seconds: float) -> None:
    """One step that fails stops nothing: an outage of the database is said once, when it begins."""
    stopping = threading.Event()
    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, lambda *_: stopping.set())
    failing = False
    while not stopping.wait(every_seconds):
        try:
            step()
            failing = False
        except Exception:
            if not failing:
                log.exception("a look at the jobs failed; trying again every second")
            failing = True
            connection.close()
