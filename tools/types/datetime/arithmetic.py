"""Calendar arithmetic on dates. Every result outside the years 1 to 9999 is code range."""

import calendar
import datetime as dt
from collections.abc import Callable, Collection
from dataclasses import dataclass
from fractions import Fraction
from functools import wraps

from django.utils.translation import gettext as _

from tools.errors import fail
from tools.types.datetime.limits import MAX_BUSINESS_DAYS

DAY = dt.timedelta(days=1)
_SATURDAY = 5


def in_range[**P, R](function: Callable[P, R]) -> Callable[P, R]:
    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except (OverflowError, ValueError):
            fail("range", _("The result is outside the years 1 to 9999."))

    return checked


@in_range
def shift_date[DateT: dt.date](date: DateT, *, months: int = 0, days: int = 0) -> DateT:
    """Months first, cut to the end of a shorter month, then days. Keeps a time of day."""
    years, month = divmod(date.year * 12 + date.month - 1 + months, 12)
    if not dt.MINYEAR <= years <= dt.MAXYEAR:
        raise OverflowError(years)
    day = min(date.day, calendar.monthrange(years, month + 1)[1])
    return date.replace(year=years, month=month + 1, day=day) + dt.timedelta(days=days)


@in_range
def add_seconds(moment: dt.datetime, seconds: float | Fraction) -> dt.datetime:
    """Physical time: through UTC, so a day with a change of clocks has 23 or 25 hours."""
    shifted = moment.astimezone(dt.UTC) + dt.timedelta(seconds=float(seconds))
    return shifted.astimezone(moment.tzinfo)


@in_range
def add_business_days(date: dt.date, days: int, holidays: Collection[dt.date] = ()) -> dt.date:
    """Monday to Friday without holidays. Zero days leave the date as it is."""
    if abs(days) > MAX_BUSINESS_DAYS:
        fail("limit", _("At most %(max)d working days.") % {"max": MAX_BUSINESS_DAYS})
    step = DAY if days > 0 else -DAY
    left = abs(days)
    while left:
        date += step
        if date.weekday() < _SATURDAY and date not in holidays:
            left -= 1
    return date


def age_years(birth: dt.date, on: dt.date) -> int:
    """Full years. Who was born on 29 February has a birthday on 1 March in other years."""
    if birth > on:
        fail("range", _("The birth lies after the day asked about."))
    return on.year - birth.year - ((on.month, on.day) < (birth.month, birth.day))


@dataclass(frozen=True, slots=True)
class Period:
    first: dt.date
    last: dt.date


@in_range
def month_of(date: dt.date) -> Period:
    first = date.replace(day=1)
    return Period(first, first.replace(day=days_in_month(date)))


@in_range
def week_of(date: dt.date) -> Period:
    """Monday to Sunday."""
    first = date - date.weekday() * DAY
    return Period(first, first + 6 * DAY)


def quarter_of(date: dt.date) -> Period:
    first = date.replace(month=date.month - (date.month - 1) % 3, day=1)
    return Period(first, month_of(shift_date(first, months=2)).last)


def year_of(date: dt.date) -> Period:
    return Period(date.replace(month=1, day=1), date.replace(month=12, day=31))


def days_in_month(date: dt.date) -> int:
    return calendar.monthrange(date.year, date.month)[1]


@in_range
def weekday_from(date: dt.date, weekday: int, *, days: int) -> dt.date:
    """The first such weekday from `date` + `days` on (0 is Monday)."""
    start = date + days * DAY
    return start + ((weekday - start.weekday()) % 7) * DAY


@in_range
def weekday_before(date: dt.date, weekday: int) -> dt.date:
    """The most recent such weekday before `date`."""
    return date - ((date.weekday() - weekday - 1) % 7 + 1) * DAY


@in_range
def weekday_of_week(date: dt.date, weekday: int, weeks: int) -> dt.date:
    """That day of the calendar week which is `weeks` weeks away."""
    return date + (weekday - date.weekday() + 7 * weeks) * DAY


def nth_weekday(period: Period, weekday: int, nth: int) -> dt.date:
    """nth from 1; -1 is the last. Raises `ToolFailure` (format) when there is none."""
    if nth < 0:
        return weekday_before(shift_date(period.last, days=1), weekday)
    date = shift_date(weekday_from(period.first, weekday, days=0), days=7 * (nth - 1))
    if date > period.last:
        fail("format", _("There is no such weekday in that month."))
    return date


def make_date(year: int, month: int, day: int) -> dt.date:
    """Raises `ToolFailure`: range for the year, format for the rest."""
    if not dt.MINYEAR <= year <= dt.MAXYEAR:
        fail("range", _("Years run from 1 to 9999."))
    try:
        return dt.date(year, month, day)
    except ValueError:
        fail("format", _("There is no such day in the calendar."))
