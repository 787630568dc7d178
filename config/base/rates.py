"""Rate limits, shared by all processes of an installation.

They are counted in the database: it is the one thing that every installation has and every process
sees; a cache would be another service to run, and Django's has no addition with an upper bound.
So that a request does not cost a write, a process draws tickets for a limit from the shared row, a
twentieth at a time, and spends them from memory. Together they never let more than the limit
through; a process that ends, or sees no more of this person, wastes at most a twentieth of one
window. Who was refused costs nothing until the window is over.
"""

import time
from dataclasses import dataclass
from threading import Lock

from django.db.models import F

from config.base.batches import delete_batch
from config.base.models import RateCount

_DRAWS = 20  # per window
_MOST_HELD = 10_000  # people in memory, before all are forgotten


@dataclass(frozen=True, slots=True)
class Limit:
    name: str
    most: int  # in one window; 0: no limit
    seconds: int = 60


@dataclass(slots=True)
class _Tickets:
    window_ends: int
    left: int
    sold_out: bool = False


_held: dict[str, _Tickets] = {}
_lock = Lock()


def take(limit: Limit, who: object, now: float | None = None) -> int:
    """Count one act of this person; 0 if it may go on, else the seconds to wait."""
    if not limit.most:
        return 0
    moment = int(time.time() if now is None else now)
    ends = (moment // limit.seconds + 1) * limit.seconds
    key = _key(limit, who)
    spent = _spend(key, ends)
    if spent is None:
        spent = _store(key, ends, _draw(key, limit.most, ends))
    return 0 if spent else ends - moment


def give_back(limit: Limit, who: object) -> None:
    """The last act does not count after all."""
    key = _key(limit, who)
    RateCount.objects.filter(key=key, taken__gt=0).update(taken=F("taken") - 1)
    with _lock:
        if key in _held:
            _held[key].sold_out = False


def forget(limit: Limit, who: object) -> None:
    """Nothing of this person counts any more."""
    key = _key(limit, who)
    RateCount.objects.filter(key=key).delete()
    with _lock:
        _held.pop(key, None)


def purge_old_counts() -> int:
    return delete_batch(RateCount.objects.filter(window_ends__lt=int(time.time())))


def _key(limit: Limit, who: object) -> str:
    return f"{limit.name}:{limit.seconds}:{who}"


def _spend(key: str, ends: int) -> bool | None:
    """Whether a ticket was at hand; None: the shared row has to be asked."""
    with _lock:
        tickets = _held.get(key)
        if tickets is None or tickets.window_ends != ends:
            return None
        if tickets.left:
            tickets.left -= 1
            return True
        return False if tickets.sold_out else None


def _store(key: str, ends: int, drawn: int) -> bool:
    """Keep what was drawn but for the one that is spent now."""
    with _lock:
        if len(_held) >= _MOST_HELD:
            _held.clear()
        _held[key] = _Tickets(ends, max(drawn - 1, 0), sold_out=not drawn)
    return bool(drawn)


def _draw(key: str, most: int, ends: int) -> int:
    """How many tickets of this window the shared row gave: a share, else one, else none."""
    rows = RateCount.objects.filter(key=key)
    for wanted in (max(1, most // _DRAWS), 1):
        if rows.filter(window_ends=ends, taken__lte=most - wanted).update(
            taken=F("taken") + wanted
        ):
            return wanted
        if rows.filter(window_ends__lt=ends).update(window_ends=ends, taken=wanted):
            return wanted
        _row, new = RateCount.objects.get_or_create(
            key=key, defaults={"window_ends": ends, "taken": wanted}
        )
        if new:
            return wanted
    return 0
