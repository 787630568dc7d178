"""Waiting for what another process will do."""

import time
from collections.abc import Callable

PATIENCE_SECONDS = 120.0  # only a failure waits so long


def until[T](look: Callable[[], T], *, seconds: float = PATIENCE_SECONDS) -> T:
    """The first true answer of `look`; fails when there is none in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = look()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"{look} did not come true within {seconds} s")
