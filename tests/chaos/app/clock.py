"""A machine whose clock is wrong: what decides by it decides wrongly."""

import time
from datetime import timedelta

from django.utils import timezone


def shift_clock(seconds: float) -> None:
    """Of this process and of all that it forks; the database's stays right."""
    if not seconds:
        return
    right_time, right_now = time.time, timezone.now
    time.time = lambda: right_time() + seconds
    timezone.now = lambda: right_now() + timedelta(seconds=seconds)
