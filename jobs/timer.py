"""How long a worker may go on: django-q2's `Value`, with a lock that nobody can take along.

A worker puts its result inside that lock, and the sentinel counts down inside it. A worker killed
there would keep the sentinel waiting for ever, alive, and nobody would be started again.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import RLock
from multiprocessing.sharedctypes import RawValue

PATIENCE_SECONDS = 0.5  # whoever has it does so for microseconds


class Timer:
    def __init__(self, typecode: str, value: float) -> None:
        self._seconds = RawValue(typecode, value)
        self._lock = RLock()

    @property
    def value(self) -> float:
        return float(self._seconds.value)

    @value.setter
    def value(self, value: float) -> None:
        with self.get_lock():
            self._seconds.value = value

    @contextmanager
    def get_lock(self) -> Iterator[None]:
        """Without it after a while: its holder is dead, or stopped."""
        is_held = self._lock.acquire(timeout=PATIENCE_SECONDS)
        try:
            yield
        finally:
            if is_held:
                self._lock.release()
