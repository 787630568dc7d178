"""How long this process has been here; one that was forked begins anew."""

import os
import time

_since = time.monotonic()


def uptime_seconds() -> float:
    return time.monotonic() - _since


def _begin() -> None:
    global _since
    _since = time.monotonic()


os.register_at_fork(after_in_child=_begin)
