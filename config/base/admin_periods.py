"""Which time the dashboard shows, and in which slots: hours, quarters of a day, or days."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import lru_cache
from typing import Any

from django.db.models import CharField
from django.db.models.functions import Cast, Substr
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _

HOUR = timedelta(hours=1)
TEN_MINUTES = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Period:
    key: str
    label: Any
    since: datetime
    starts: tuple[datetime, ...]  # of the slots, in the reader's zone

    def slot_of(self, text: str) -> int:
        """Of what `moment` gives; one that begins before the period counts to its first slot."""
        return max(bisect_right(self.starts, _time_of(text)) - 1, 0)

    def end_of(self, slot: int) -> datetime | None:
        return self.starts[slot + 1] if slot + 1 < len(self.starts) else None

    def labels(self) -> list[str]:
        pattern = {"24h": "H:i", "7d": "D H:i", "30d": "j M"}[self.key]
        return [date_format(start, pattern) for start in self.starts]

    def sums(self, rows: Iterable[tuple[str, float]]) -> list[float]:
        """(moment, amount) folded into the slots."""
        totals = [0.0] * len(self.starts)
        for text, amount in rows:
            totals[self.slot_of(text)] += amount
        return totals

    def tops(self, rows: Iterable[tuple[str, float]]) -> list[float]:
        """The largest of each slot; less than nothing is nothing."""
        largest = [0.0] * len(self.starts)
        for text, amount in rows:
            slot = self.slot_of(text)
            largest[slot] = max(largest[slot], amount)
        return largest


NAMES = {"24h": _("24 hours"), "7d": _("7 days"), "30d": _("30 days")}
DEFAULT = "24h"


def period_of(key: str | None, now: datetime) -> Period:
    """What is not known is the shortest."""
    key = key if key in NAMES else DEFAULT
    local = timezone.localtime(now)
    if key == "24h":
        this_hour = local.replace(minute=0, second=0, microsecond=0)
        starts = [this_hour - n * HOUR for n in range(23, -1, -1)]
    else:
        days, hours = (7, (0, 6, 12, 18)) if key == "7d" else (30, (0,))
        dates = [local.date() - timedelta(days=n) for n in range(days - 1, -1, -1)]
        starts = [
            timezone.make_aware(datetime.combine(date, time(hour)))
            for date in dates
            for hour in hours
        ]
        starts = [start for start in starts if start <= now]
    return Period(key, NAMES[key], starts[0], tuple(starts))


def moment(column: str, period: Period) -> Substr:
    """A column's hour as text, in UTC: what grouping by time costs least on both databases.

    Django's own truncation calls Python for each row on SQLite. Ten minutes, or one, instead of an
    hour for a reader whose hours begin between two of ours.
    """
    offset = period.since.utcoffset() or timedelta(0)
    length = 13 if not offset % HOUR else 15 if not offset % TEN_MINUTES else 16
    return Substr(Cast(column, CharField()), 1, length)


@lru_cache(maxsize=4096)
def _time_of(text: str) -> datetime:
    return datetime.fromisoformat(text.ljust(16, "0") if len(text) > 13 else text).replace(
        tzinfo=UTC
    )
