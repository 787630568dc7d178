"""ISO 8601 and RFC 3339 text, read strictly: a misprint is an error, never another date."""

import datetime as dt
import re
from typing import NamedTuple

from django.utils.translation import gettext as _

from tools.errors import fail
from tools.types.datetime.limits import MAX_TEXT_CHARS

_DATE = (
    r"(?P<year>[0-9]{4})(?:-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
    r"|(?P<month2>[0-9]{2})(?P<day2>[0-9]{2})"
    r"|-?W(?P<week>[0-9]{2})-?(?P<weekday>[1-7])|-(?P<ordinal>[0-9]{3}))"
)
_TIME = (
    r"(?P<hour>[0-9]{2})(?::(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})"
    r"(?:[.,](?P<fraction>[0-9]{1,9}))?)?"
    r"|(?P<minute2>[0-9]{2})(?P<second2>[0-9]{2})?)"
)
# With seconds: before there were zones, offsets had them, and results here do.
_OFFSET = r"(?P<offset>[Zz]|[+-][0-9]{2}(?::?[0-9]{2}(?::[0-9]{2})?)?)"
_PATTERN = re.compile(rf"{_DATE}(?:(?:[Tt]|\ ){_TIME}\ ?{_OFFSET}?)?")
_OUT_OF_RANGE = re.compile(
    r"(?:[+-]?[0-9]{5,}|-[0-9]{4}|0000)-[0-9]{2}-[0-9]{2}(?:[Tt ].*)?", re.DOTALL
)

type Moment = dt.date | dt.datetime


class ClockTime(NamedTuple):
    time: dt.time
    next_day: bool = False  # 24:00
    leap: bool = False  # second 60


def read(text: str) -> Moment | None:
    """A date, a naive or an aware datetime; None when this is not the form of one.

    Raises `ToolFailure`: range, and format when the form fits but the numbers do not.
    """
    if len(text) > MAX_TEXT_CHARS:
        fail("limit", _("The text is longer than %(max)d characters.") % {"max": MAX_TEXT_CHARS})
    if _OUT_OF_RANGE.fullmatch(text):
        fail("range", _("Years run from 1 to 9999."))
    found = _PATTERN.fullmatch(text)
    if found is None:
        return None
    parts = found.groupdict()
    try:
        date = _date(parts)
        return date if parts["hour"] is None else _moment(date, parts)
    except ValueError:
        fail("format", _("%(text)s is not a real date or time.") % {"text": text})
    except OverflowError:
        fail("range", _("Years run from 1 to 9999."))


def _date(parts: dict[str, str | None]) -> dt.date:
    year = int(parts["year"] or 0)
    if parts["week"]:
        return dt.date.fromisocalendar(year, int(parts["week"]), int(parts["weekday"] or 1))
    if parts["ordinal"]:
        date = dt.date(year, 1, 1) + dt.timedelta(days=int(parts["ordinal"]) - 1)
        if date.year != year:
            raise ValueError("no such day of the year")
        return date
    if year == 0:
        raise OverflowError("year 0")
    month, day = parts["month"] or parts["month2"], parts["day"] or parts["day2"]
    return dt.date(year, int(month or 0), int(day or 0))


def _moment(date: dt.date, parts: dict[str, str | None]) -> dt.datetime:
    clock = _clock(parts)
    moment = dt.datetime.combine(date, clock.time)
    if parts["offset"]:
        moment = moment.replace(tzinfo=read_offset(parts["offset"]))
    if clock.leap:
        moment = _after_leap_second(moment)
    return moment + dt.timedelta(days=1) if clock.next_day else moment


def _clock(parts: dict[str, str | None]) -> ClockTime:
    hour = int(parts["hour"] or 0)
    minute = int(parts["minute"] or parts["minute2"] or 0)
    second = int(parts["second"] or parts["second2"] or 0)
    micro = int(((parts["fraction"] or "") + "000000")[:6])
    if hour == 24 and not (minute or second or micro):
        return ClockTime(dt.time(0), next_day=True)
    if second == 60:
        return ClockTime(dt.time(hour, minute, 59), leap=True)
    return ClockTime(dt.time(hour, minute, second, micro))


def _after_leap_second(moment: dt.datetime) -> dt.datetime:
    """A leap second is the last one of a UTC day; time here goes on with the next second."""
    utc = moment - (moment.utcoffset() or dt.timedelta())
    if (utc.hour, utc.minute) != (23, 59):
        raise ValueError("no leap second there")
    return moment + dt.timedelta(seconds=1)


def read_offset(text: str) -> dt.timezone:
    """Raises `ValueError` when hours, minutes or seconds are none."""
    if text in "Zz":
        return dt.UTC
    digits = text[1:].replace(":", "").ljust(6, "0")
    hours, minutes, seconds = int(digits[:2]), int(digits[2:4]), int(digits[4:])
    if hours > 23 or minutes > 59 or seconds > 59:
        raise ValueError("no such offset")
    offset = dt.timedelta(hours=hours, minutes=minutes, seconds=seconds)
    return dt.timezone(-offset if text[0] == "-" else offset)


def get_moment(text: str, name: str) -> Moment:
    """Raises `ToolFailure`: empty, format, range, limit."""
    if not text.strip():
        fail("empty", _("%(name)s is empty.") % {"name": name})
    moment = read(text.strip())
    if moment is None:
        fail(
            "format",
            _(
                "%(name)s must be written like 2026-11-29 or 2026-11-29T12:00:00+08:00; "
                "use parse for other forms."
            )
            % {"name": name},
        )
    return moment


def get_date(text: str, name: str) -> dt.date:
    """The date as it is written; a time behind it does not move it."""
    moment = get_moment(text, name)
    return moment.date() if isinstance(moment, dt.datetime) else moment


def get_datetime(text: str, name: str) -> dt.datetime:
    """A date alone is its midnight."""
    moment = get_moment(text, name)
    if isinstance(moment, dt.datetime):
        return moment
    return dt.datetime.combine(moment, dt.time())
