"""What each operation does, from validated arguments and a given present."""

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from tools.errors import ToolFailure, fail
from tools.types.datetime import arithmetic, iso
from tools.types.datetime.limits import MAX_HOLIDAYS
from tools.types.datetime.names import WEEKDAYS
from tools.types.datetime.operation_table import OperationName
from tools.types.datetime.parse import parse
from tools.types.datetime.schemas import DatetimeInput
from tools.types.datetime.strftime import format_moment
from tools.types.datetime.zones import get_zone, in_zone, resolve_local

type Result = str | int | float | bool

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MONTH_ONLY = re.compile(r"[0-9]{4}-[0-9]{2}")


@dataclass(frozen=True, slots=True)
class Present:
    """What is not in the arguments: the time, and the zone where none is named."""

    now: dt.datetime
    default_zone: str = "UTC"

    def zone(self, name: str | None) -> ZoneInfo:
        return get_zone(self.default_zone if name is None else name)


def run(arguments: DatetimeInput, present: Present) -> Result:
    """Raises `ToolFailure`: empty, format, zone, range, gap, ambiguous, unsupported, limit."""
    operation = arguments.operation
    if operation in _CALENDAR:
        return _CALENDAR[operation](arguments)
    return _CLOCK[operation](arguments, present)


def _instant(text: str, name: str, zone: dt.tzinfo) -> dt.datetime:
    """An offset in the text says the instant; without one the zone does."""
    moment = iso.get_datetime(text, name)
    return resolve_local(moment, zone) if moment.tzinfo is None else moment


def _now(arguments: DatetimeInput, present: Present) -> str:
    return in_zone(present.now, present.zone(arguments.tz)).isoformat()


def _date(arguments: DatetimeInput) -> dt.date:
    return iso.get_date(arguments.date or "", "date")


def _weekday(arguments: DatetimeInput) -> str:
    return WEEKDAYS[_date(arguments).weekday()]


def _seconds(length: dt.timedelta) -> int | float:
    return length.total_seconds() if length.microseconds else length // dt.timedelta(seconds=1)


def _unix(arguments: DatetimeInput, present: Present) -> int | float:
    zone = present.zone(arguments.tz)
    return _seconds(_instant(arguments.datetime or "", "datetime", zone) - _EPOCH)


def _from_unix(arguments: DatetimeInput, present: Present) -> str:
    zone = present.zone(arguments.tz)
    return in_zone(arithmetic.add_seconds(_EPOCH, arguments.seconds or 0), zone).isoformat()


def _convert(arguments: DatetimeInput, present: Present) -> str:
    source, target = present.zone(arguments.from_), present.zone(arguments.to)
    return in_zone(_instant(arguments.datetime or "", "datetime", source), target).isoformat()


def _resolve_local(arguments: DatetimeInput, present: Present) -> str:
    zone = present.zone(arguments.tz)
    local = iso.get_datetime(arguments.local or "", "local")
    if local.tzinfo is not None:
        fail("format", _("local is wall clock time: write it without an offset."))
    return resolve_local(local, zone).isoformat()


def _zoned(arguments: DatetimeInput, present: Present) -> dt.datetime:
    """The datetime in `tz`; its own offset stays when no zone is named."""
    zone = present.zone(arguments.tz)
    moment = _instant(arguments.datetime or "", "datetime", zone)
    keeps = arguments.tz is None and iso.get_datetime(arguments.datetime or "", "").tzinfo
    return moment if keeps else in_zone(moment, zone)


def _add_elapsed(arguments: DatetimeInput, present: Present) -> str:
    hours, minutes = Fraction(arguments.hours or 0), Fraction(arguments.minutes or 0)
    seconds = hours * 3_600 + minutes * 60 + Fraction(arguments.seconds or 0)
    return arithmetic.add_seconds(_zoned(arguments, present), seconds).isoformat()


def _add_calendar(arguments: DatetimeInput, present: Present) -> str:
    """A wall clock time that the target day skips or repeats is said (gap, ambiguous)."""
    months = (arguments.years or 0) * 12 + (arguments.months or 0)
    days = (arguments.weeks or 0) * 7 + (arguments.days or 0)
    if arguments.date is not None:
        return arithmetic.shift_date(_date(arguments), months=months, days=days).isoformat()
    start = _zoned(arguments, present)
    local = arithmetic.shift_date(start.replace(tzinfo=None), months=months, days=days)
    return resolve_local(local, start.tzinfo or dt.UTC).isoformat()


def _diff_seconds(arguments: DatetimeInput, present: Present) -> int | float:
    start = _instant(arguments.from_ or "", "from", present.zone(arguments.from_tz))
    end = _instant(arguments.to or "", "to", present.zone(arguments.to_tz))
    return _seconds(end.astimezone(dt.UTC) - start.astimezone(dt.UTC))


def _days_between(arguments: DatetimeInput) -> int:
    start = iso.get_date(arguments.from_ or "", "from")
    return (iso.get_date(arguments.to or "", "to") - start).days


def _business_days_add(arguments: DatetimeInput) -> str:
    listed = arguments.holidays or []
    if len(listed) > MAX_HOLIDAYS:
        fail("limit", _("At most %(max)d holidays.") % {"max": MAX_HOLIDAYS})
    holidays = {iso.get_date(text, "holidays") for text in listed}
    date = _date(arguments)
    return arithmetic.add_business_days(date, arguments.days or 0, holidays).isoformat()


def _valid(arguments: DatetimeInput) -> bool:
    try:
        _date(arguments)
    except ToolFailure:
        return False
    return True


def _age_years(arguments: DatetimeInput, present: Present) -> int:
    today = in_zone(present.now, present.zone(None)).date()
    on = today if arguments.on is None else iso.get_date(arguments.on, "on")
    return arithmetic.age_years(iso.get_date(arguments.birth or "", "birth"), on)


def _day_of_year(arguments: DatetimeInput) -> int:
    return _date(arguments).timetuple().tm_yday


def _days_in_month(arguments: DatetimeInput) -> int:
    text = (arguments.date or "").strip()
    text += "-01" if _MONTH_ONLY.fullmatch(text) else ""
    return arithmetic.days_in_month(iso.get_date(text, "date"))


def _quarter(arguments: DatetimeInput) -> int:
    return (_date(arguments).month + 2) // 3


def _iso_week(arguments: DatetimeInput) -> str:
    week = _date(arguments).isocalendar()
    return f"{week.year:04d}-W{week.week:02d}-{week.weekday}"


def _parse(arguments: DatetimeInput, present: Present) -> str:
    return parse(arguments.text or "", present.zone(arguments.tz), present.now).isoformat()


def _format(arguments: DatetimeInput, present: Present) -> str:
    moment = iso.get_datetime(arguments.datetime or "", "datetime")
    if arguments.tz is not None:
        moment = _zoned(arguments, present)
    return format_moment(moment, arguments.format or "")


_CALENDAR: dict[OperationName, Callable[[DatetimeInput], Result]] = {
    "weekday": _weekday,
    "days_between": _days_between,
    "business_days_add": _business_days_add,
    "valid": _valid,
    "day_of_year": _day_of_year,
    "days_in_month": _days_in_month,
    "quarter": _quarter,
    "iso_week": _iso_week,
}

_CLOCK: dict[OperationName, Callable[[DatetimeInput, Present], Result]] = {
    "now": _now,
    "unix": _unix,
    "from_unix": _from_unix,
    "convert": _convert,
    "resolve_local": _resolve_local,
    "add_elapsed": _add_elapsed,
    "add_calendar": _add_calendar,
    "diff_seconds": _diff_seconds,
    "age_years": _age_years,
    "parse": _parse,
    "format": _format,
}
