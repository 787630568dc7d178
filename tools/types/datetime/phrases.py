"""What the English and the Chinese grammar share."""

import datetime as dt
from dataclasses import dataclass
from typing import Never

from django.utils.translation import gettext as _

from tools.errors import fail
from tools.types.datetime.arithmetic import month_of, shift_date


@dataclass(frozen=True, slots=True)
class Reading:
    """Against what a phrase is read: the present, in the zone that holds."""

    now: dt.datetime
    zone: dt.tzinfo

    @property
    def today(self) -> dt.date:
        return self.now.date()


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day; `days` is 1 for the midnight that ends the named day."""

    time: dt.time
    days: int = 0

    def on(self, date: dt.date) -> dt.datetime:
        return dt.datetime.combine(shift_date(date, days=self.days), self.time)


def make_clock(hour: int, minute: int = 0, second: int = 0) -> Clock:
    """24:00 ends the day. Raises `ToolFailure` (format) for what no clock shows."""
    if (hour, minute, second) == (24, 0, 0):
        return Clock(dt.time(), days=1)
    if hour > 23 or minute > 59 or second > 59:
        fail("format", _("There is no such time of day."))
    return Clock(dt.time(hour, minute, second))


def clock_before(clock: Clock, minutes: int) -> Clock:
    """A quarter to nine."""
    total = clock.time.hour * 60 + clock.time.minute - minutes
    if total < 0:
        fail("format", _("There is no such time of day."))
    return Clock(dt.time(*divmod(total, 60)), days=clock.days)


def need_hour() -> Never:
    fail("format", _("A part of the day is no time: say the hour as well."))


def two_readings() -> Never:
    fail("ambiguous", _("This hour has two readings: say am or pm, or write it like 15:00."))


def not_supported(what: str) -> Never:
    fail("unsupported", _("%(what)s is not supported: give the date.") % {"what": what.strip()})


def checked_weekday(date: dt.date, weekday: int | None) -> dt.date:
    """A weekday written beside a date must be its own."""
    if weekday is not None and date.weekday() != weekday:
        fail("format", _("%(date)s is another day of the week.") % {"date": date.isoformat()})
    return date


def day_of_month(first: dt.date, day: int) -> dt.date:
    """Raises `ToolFailure` (format) when the month is shorter."""
    if not 1 <= day <= month_of(first).last.day:
        fail("format", _("There is no such day in that month."))
    return first.replace(day=day)


def coming_day_of_month(today: dt.date, day: int) -> dt.date:
    """The next such day, today included; months that are too short are passed over."""
    if not 1 <= day <= 31:
        fail("format", _("There is no such day in a month."))
    first = today.replace(day=1)
    for months in range(3):
        month = month_of(shift_date(first, months=months))
        if day <= month.last.day and month.first.replace(day=day) >= today:
            return month.first.replace(day=day)
    raise AssertionError("a long month comes within three")
