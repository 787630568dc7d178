"""A span of time as people say it: months and days of the calendar, seconds of the clock."""

import datetime as dt
from dataclasses import dataclass
from fractions import Fraction

from django.utils.translation import gettext as _

from tools.errors import fail
from tools.types.datetime.arithmetic import add_business_days, add_seconds, shift_date
from tools.types.datetime.iso import Moment
from tools.types.datetime.zones import in_zone, resolve_local

_DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class Span:
    months: int = 0
    days: int = 0
    business_days: int = 0
    seconds: Fraction = Fraction(0)

    def __add__(self, other: "Span") -> "Span":
        return Span(
            self.months + other.months,
            self.days + other.days,
            self.business_days + other.business_days,
            self.seconds + other.seconds,
        )

    def __neg__(self) -> "Span":
        return Span(-self.months, -self.days, -self.business_days, -self.seconds)

    def after(self, base: Moment, zone: dt.tzinfo) -> Moment:
        """A date stays a date unless hours are counted from it (then from its midnight)."""
        if not self.seconds:
            return self._calendar_shift(base, zone)
        if not isinstance(base, dt.datetime):
            base = dt.datetime.combine(base, dt.time())
        if base.tzinfo is None:
            base = resolve_local(base, zone)
        shifted = self._calendar_shift(base, zone)
        assert isinstance(shifted, dt.datetime)
        return in_zone(add_seconds(shifted, self.seconds), zone)

    def _calendar_shift(self, base: Moment, zone: dt.tzinfo) -> Moment:
        if not (self.months or self.days or self.business_days):
            return base
        local = base.replace(tzinfo=None) if isinstance(base, dt.datetime) else base
        shifted = shift_date(local, months=self.months, days=self.days)
        if self.business_days:
            shifted = shift_date(
                shifted,
                days=(add_business_days(_day(shifted), self.business_days) - _day(shifted)).days,
            )
        if isinstance(base, dt.datetime) and isinstance(shifted, dt.datetime) and base.tzinfo:
            return resolve_local(shifted, zone)
        return shifted


def _day(moment: Moment) -> dt.date:
    return moment.date() if isinstance(moment, dt.datetime) else moment


def make_span(count: Fraction, unit: str) -> Span:
    """`unit`: second, minute, quarter-hour, hour, day, business, week, month, quarter, year.

    Broken days are hours, broken years months; other broken counts raise `ToolFailure` (format).
    """
    if unit in _SECONDS:
        return Span(seconds=count * _SECONDS[unit])
    if unit in _MONTHS:
        return Span(months=_whole(count * _MONTHS[unit]))
    if unit == "business":
        return Span(business_days=_whole(count))
    days = count * _DAYS[unit]
    if days.denominator == 1:
        return Span(days=int(days))
    return Span(seconds=days * _DAY_SECONDS)


def _whole(count: Fraction) -> int:
    if count.denominator != 1:
        fail("format", _("Such a part of a month or a working day has no exact length."))
    return int(count)


_SECONDS = {"second": 1, "minute": 60, "quarter-hour": 900, "hour": 3_600}
_MONTHS = {"month": 1, "quarter": 3, "year": 12}
_DAYS = {"day": 1, "week": 7}
