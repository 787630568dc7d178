"""Row ids that clients see: UUIDv7 (RFC 9562), monotonic within one process.

Never an order, a cursor or a share token: order by a sequence or a time, share with `secrets`.
"""

import os
import threading
import time
import uuid

_lock = threading.Lock()
_last = 0


def uuid7() -> uuid.UUID:
    """Make a UUIDv7 that is greater than every one this process made before."""
    global _last
    # 48 bits of milliseconds, then 12 + 62 random bits around version and variant.
    fresh = (time.time_ns() // 1_000_000) << 74 | int.from_bytes(os.urandom(10)) >> 6
    with _lock:
        _last = fresh if fresh > _last else _last + 1
        bits = _last
    milliseconds, rest = bits >> 74, bits & ((1 << 74) - 1)
    high, low = rest >> 62, rest & ((1 << 62) - 1)
    return uuid.UUID(int=milliseconds << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low)
