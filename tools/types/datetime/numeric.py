"""Dates of digits alone: accepted when they have one reading."""

import datetime as dt
import re

from django.utils.translation import gettext as _

from tools.errors import fail
from tools.types.datetime.arithmetic import make_date

_YEAR_FIRST = re.compile(
    r"(?P<year>[0-9]{4})(?P<sep>[-/.])(?P<month>[0-9]{1,2})(?P=sep)(?P<day>[0-9]{1,2})"
)
_YEAR_LAST = re.compile(
    r"(?P<one>[0-9]{1,2})(?P<sep>[-/.])(?P<two>[0-9]{1,2})(?P=sep)(?P<year>[0-9]{4})"
)
_SHORT = re.compile(r"[0-9]{1,2}([-/.])[0-9]{1,2}(?:\1[0-9]{2})?")


def read_numeric_date(text: str) -> dt.date | None:
    """Raises `ToolFailure`: ambiguous (03/04/2026, two-digit years), format, range."""
    if found := _YEAR_FIRST.fullmatch(text):
        return make_date(int(found["year"]), int(found["month"]), int(found["day"]))
    if found := _YEAR_LAST.fullmatch(text):
        return _year_last(int(found["one"]), int(found["two"]), int(found["year"]))
    if _SHORT.fullmatch(text):
        fail("ambiguous", _("Write the year with four digits: 2026-11-29."))
    return None


def _year_last(one: int, two: int, year: int) -> dt.date:
    if one <= 12 and two <= 12 and one != two:
        fail("ambiguous", _("Day first or month first? Write it like 2026-11-29."))
    month, day = (two, one) if one > 12 else (one, two)
    return make_date(year, month, day)
