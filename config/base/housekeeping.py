"""Throwing away what has been kept long enough: hourly, by one process at a time.

settings.HOUSEKEEPING names the functions; each takes nothing, deletes what is due, and may run
twice. One that fails stops no other.
"""

import logging
import threading

from django.conf import settings
from django.db import connection
from django.utils.module_loading import import_string

from config.base import leases

log = logging.getLogger(__name__)

FIRST_SECONDS = 180.0  # starting stays quick; a process restarted every hour keeps house too
EVERY_SECONDS = 3600.0
_DUTY = "housekeeping"


def keep_house() -> None:
    for path in settings.HOUSEKEEPING:
        try:
            import_string(path)()
        except Exception:
            log.exception("%s failed; the next round tries again", path)


class HousekeepingHost:
    """Its first round is a few minutes after the start, then one every hour."""

    def __init__(self) -> None:
        self._owner = leases.new_owner()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="housekeeping", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join(timeout=1)

    def _loop(self) -> None:
        seconds = FIRST_SECONDS
        while not self._stopping.wait(seconds):
            seconds = EVERY_SECONDS
            try:
                # Never released: of several processes the first one of each hour does it.
                if leases.hold_duty(_DUTY, owner=self._owner, seconds=EVERY_SECONDS / 2):
                    keep_house()
            except Exception:
                log.exception("a round of housekeeping failed; the next one tries again")
            finally:
                connection.close()
