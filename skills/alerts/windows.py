"""When somebody was refused too often: arithmetic over times, no database."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class Window:
    first_at: datetime
    last_at: datetime
    denials: int


def find_windows(
    times: Iterable[datetime],
    *,
    denials: int,
    span: timedelta,
    quiet_until: datetime | None = None,
) -> list[Window]:
    """Each time that `denials` of them lie within less than `span`.

    After one nothing counts for as long as `span`: what went on then, it has told.
    """
    found: list[Window] = []
    recent: deque[datetime] = deque()
    for moment in sorted(times):
        if quiet_until is not None and moment < quiet_until:
            continue
        recent.append(moment)
        while recent[0] <= moment - span:
            recent.popleft()
        if len(recent) >= denials:
            found.append(Window(recent[0], moment, len(recent)))
            quiet_until = moment + span
            recent.clear()
    return found
