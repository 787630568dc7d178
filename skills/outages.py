"""Going on in a background thread while the database does not."""

import logging
from collections.abc import Callable

from django.db import connection


class Outages:
    """What fails is told once for each outage, not at each round."""

    def __init__(self, log: logging.Logger, told: str) -> None:
        self._log = log
        self._told = told
        self._failing = False

    def guard(self, step: Callable[[], object]) -> None:
        """A failing step must not end the thread: the next takes a fresh connection."""
        try:
            step()
            self._failing = False
        except Exception:  # noqa: BLE001  (told, by a log that the linter does not know)
            if not self._failing:
                self._log.exception(self._told)
            self._failing = True
            connection.close()
