"""When a series is due: five fields of cron in an IANA time zone. Pure: whoever asks says when.

Debian's rules where the clocks change. With a fixed hour and minute a job is due at what the clock
on the wall says: a time that does not exist on that day becomes the first moment after the gap, one
that exists twice is taken once, the first time. With a `*` in the hour or the minute it is due at
each moment that fits, so what is due every half hour stays half an hour apart.

Python counts with times of one zone by the wall clock: here all counting and comparing is in UTC,
and only `CronSim` is given local times, without a zone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import islice, pairwise, takewhile
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from config.base.models.user import known_time_zones
from jobs.errors import InvalidRecurrence

MAX_CRON_LENGTH = 100
MOST_MISSED = 1000  # counted one by one
LATE = timedelta(minutes=10)
_FIELDS = 5
_SECOND = timedelta(seconds=1)
_DAY = timedelta(days=1)
_ALL_CALENDARS = timedelta(days=28 * 366)  # then years begin with the same days, in the same order
_CLOCK = "H:i"  # as cron has it, in every language


class SlotNote(StrEnum):
    NONE = ""
    GAP = "gap"  # the local time does not exist on that day
    FOLD = "fold"  # it exists twice


@dataclass(frozen=True, slots=True)
class Slot:
    at: datetime  # UTC
    local: datetime  # the same moment in the series' zone
    wanted: datetime  # what the clock on the wall would say, without a zone
    note: SlotNote = SlotNote.NONE

    def explain(self) -> str:
        """The note in words; empty when there is nothing to say."""
        facts = {
            "wanted": date_format(self.wanted, _CLOCK),
            "day": date_format(self.wanted, "DATE_FORMAT"),
            "zone": str(self.local.tzinfo),
            "actual": date_format(self.local, _CLOCK),
        }
        if self.note == SlotNote.GAP:
            said = _("%(zone)s has no %(wanted)s on %(day)s: it runs at %(actual)s.")
        elif self.note == SlotNote.FOLD:
            said = _("%(zone)s has %(wanted)s twice on %(day)s: it runs once, the first time.")
        else:
            return ""
        return said % facts


@dataclass(frozen=True, slots=True)
class Missed:
    """Slots that have passed; with `is_more`, `last` is where counting stopped."""

    first: datetime
    last: datetime
    count: int
    is_more: bool


@dataclass(frozen=True, slots=True)
class Outlook:
    missed: Missed | None
    upcoming: datetime


def sum_up(missed: list[datetime]) -> Missed | None:
    if not missed:
        return None
    counted = missed[:MOST_MISSED]
    return Missed(counted[0], counted[-1], len(counted), is_more=len(missed) > MOST_MISSED)


def check_recurrence(cron: str, zone: str, after: datetime) -> str:
    """The expression in its normal form, if it has a slot after `after`.

    Raises `InvalidRecurrence`, also when nothing fits within 50 years.
    """
    next_slot(cron, zone, after)
    return " ".join(cron.split())


def next_slot(cron: str, zone: str, after: datetime) -> datetime:
    """UTC, later than `after`. Raises `InvalidRecurrence`."""
    return list_slots(cron, zone, after, 1)[0].at


def list_slots(cron: str, zone: str, after: datetime, count: int) -> list[Slot]:
    """The next ones after `after`. Raises `InvalidRecurrence`."""
    slots = list(islice(iter_slots(cron, zone, after), count))
    if len(slots) < count:
        raise InvalidRecurrence(_("No day within 50 years fits “%(cron)s”.") % {"cron": cron})
    return slots


def look_ahead(
    cron: str, zone: str, after: datetime, now: datetime, *, itself: bool = False
) -> Outlook:
    """From the slot `after`: those that have passed by `now`, and the first that is to come.

    With `itself`, that slot is one of those missed. Raises `InvalidRecurrence`.
    """
    passed = takewhile(lambda slot: slot.at <= now, iter_slots(cron, zone, after))
    missed = [after] if itself else []
    missed += [slot.at for slot in islice(passed, MOST_MISSED + 1 - len(missed))]
    return Outlook(sum_up(missed), next_slot(cron, zone, max(after, now)))


def is_too_late(cron: str, zone: str, slot: datetime, now: datetime) -> bool:
    """For a series that skips what it missed: minutes have passed, or the next slot has come."""
    return now - slot > LATE or next_slot(cron, zone, slot) <= now


def is_closer_than(least: timedelta, cron: str, after: datetime) -> bool:
    """Whether two of its times are less than that, at most a day, apart: on a day, or over midnight
    where days follow each other. Raises `InvalidRecurrence`.

    By the clock on the wall: neither a time that the clocks skip nor one that they show twice
    brings two closer.
    """
    _read(cron)
    named = CronSim(cron, after.replace(tzinfo=None))
    times = sorted(timedelta(hours=h, minutes=m) for h in named.hours for m in named.minutes)
    if any(two - one < least for one, two in pairwise(times)):
        return True
    return _DAY - times[-1] + times[0] < least and _has_neighbours(cron, after)


def _has_neighbours(cron: str, after: datetime) -> bool:
    """Whether it ever names two days of which one follows the other."""
    start = after.replace(tzinfo=None)
    days = takewhile(
        lambda day: day < start + _ALL_CALENDARS,
        CronSim(" ".join(["0", "0", *cron.split()[2:]]), start),
    )
    return any(two - one == _DAY for one, two in pairwise(days))


def iter_slots(cron: str, zone: str, after: datetime) -> Iterator[Slot]:
    """Each later than the one before. Raises `InvalidRecurrence` at once."""
    minute, hour = _read(cron)
    place = _place(zone)
    if minute.startswith("*") or hour.startswith("*"):
        return _at_each_match(cron, place, after.astimezone(UTC))
    return _at_fixed_times(cron, place, after.astimezone(UTC))


def _read(cron: str) -> tuple[str, str]:
    """Its minute and its hour."""
    parts = cron.split()
    if len(cron) > MAX_CRON_LENGTH or len(parts) != _FIELDS:
        raise InvalidRecurrence(
            _("Write five fields: minute, hour, day of the month, month, day of the week.")
        )
    try:
        CronSim(cron, datetime(2000, 1, 1))  # noqa: DTZ001 (local times have no zone here)
    except CronSimError as error:
        raise InvalidRecurrence(
            _("“%(cron)s” can't be read: %(fault)s.") % {"cron": cron, "fault": error}
        ) from error
    return parts[0], parts[1]


def _place(zone: str) -> ZoneInfo:
    if zone not in known_time_zones():
        raise InvalidRecurrence(_("“%(zone)s” is no IANA time zone.") % {"zone": zone})
    return ZoneInfo(zone)


def _at_fixed_times(cron: str, place: ZoneInfo, after: datetime) -> Iterator[Slot]:
    last = after
    for wanted in CronSim(cron, after.astimezone(place).replace(tzinfo=None)):
        slot = _slot_at(wanted, place)
        # Two times in one gap become one moment; in a fold, `after` may be the second time.
        if slot.at > last:
            last = slot.at
            yield slot


def _slot_at(wanted: datetime, place: ZoneInfo) -> Slot:
    first, second = (wanted.replace(tzinfo=place, fold=fold).astimezone(UTC) for fold in (0, 1))
    if first < second:
        return Slot(first, first.astimezone(place), wanted, SlotNote.FOLD)
    if first == second:
        return Slot(first, first.astimezone(place), wanted)
    # In a gap the offset before it takes the time past the change, that after it to before it.
    change = _change_between(place, second, first)
    return Slot(change, change.astimezone(place), wanted, SlotNote.GAP)


def _at_each_match(cron: str, place: ZoneInfo, after: datetime) -> Iterator[Slot]:
    """Counts with one offset for as long as it lasts, then again from the change."""
    last, offset = after, _offset(place, after)
    start = after + offset
    while True:
        for wanted in CronSim(cron, start.replace(tzinfo=None)):
            at = wanted.replace(tzinfo=UTC) - offset
            if _offset(place, at) != offset:
                break
            yield Slot(at, at.astimezone(place), wanted)
            last = at
        else:
            return
        last = _change_between(place, last, at)
        offset = _offset(place, last)
        start = last + offset - _SECOND  # the moment of the change may fit


def _change_between(place: ZoneInfo, before: datetime, after: datetime) -> datetime:
    """To the second, the first moment that no longer has the offset of `before`."""
    offset = _offset(place, before)
    before = before.replace(microsecond=0)
    while after - before > _SECOND:
        middle = before + (after - before) // 2
        middle = middle.replace(microsecond=0)
        if _offset(place, middle) == offset:
            before = middle
        else:
            after = middle
    return after


def _offset(place: ZoneInfo, at: datetime) -> timedelta:
    return at.astimezone(place).utcoffset() or timedelta()
