"""The day in an English phrase that is already simplified: a table of forms, tried in order."""

import datetime as dt
import re
from collections.abc import Callable

from tools.types.datetime import arithmetic
from tools.types.datetime.arithmetic import Period, make_date, shift_date
from tools.types.datetime.numeric import read_numeric_date
from tools.types.datetime.phrases import (
    Reading,
    checked_weekday,
    coming_day_of_month,
    day_of_month,
)
from tools.types.datetime.words_en import MONTH, WEEKDAY, month_number, weekday_number

_WORDS = {"today": 0, "now": 0, "tomorrow": 1, "yesterday": -1}
_SHIFTS = {
    "this": 0,
    "current": 0,
    "next": 1,
    "coming": 1,
    "following": 1,
    "last": -1,
    "previous": -1,
    "past": -1,
}
_MONTHS_OF = {"month": 1, "quarter": 3, "year": 12}
_PERIOD_OF: dict[str, Callable[[dt.date], Period]] = {
    "week": arithmetic.week_of,
    "month": arithmetic.month_of,
    "quarter": arithmetic.quarter_of,
    "year": arithmetic.year_of,
}
_SHIFT = rf"(?P<shift>{'|'.join(_SHIFTS)})"
_UNIT = r"(?P<unit>week|month|quarter|year)"
_NTH = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?:(?:of |in )?(?P<year>[0-9]{4}|(?:this|next|last) year))"
_WEEKDAY = rf"(?P<weekday>{WEEKDAY})"
_MONTH = rf"(?P<month>{MONTH})"


def read_day(text: str, reading: Reading) -> dt.date | None:
    """Raises `ToolFailure` when the form is known and the day is none."""
    if text in _WORDS:
        return shift_date(reading.today, days=_WORDS[text])
    for pattern, read in _FORMS:
        if found := pattern.fullmatch(text):
            day = read(found, reading)
            if day is not None:
                return day
    return read_numeric_date(text)


def read_period(text: str, reading: Reading) -> Period | None:
    """`next month`, `february 2028`, `2027`; None when it is no period."""
    if re.fullmatch(r"[0-9]{4}", text):
        return arithmetic.year_of(make_date(int(text), 1, 1))
    if found := re.fullmatch(rf"(?:{_SHIFT} )?{_UNIT}", text):
        return _relative_period(found["unit"], _SHIFTS[found["shift"] or "this"], reading)
    if found := re.fullmatch(rf"{_UNIT} (?P<far>after next|before last)", text):
        return _relative_period(found["unit"], _far(found["far"]), reading)
    if found := re.fullmatch(rf"{_MONTH}(?: {_YEAR})?", text):
        return arithmetic.month_of(
            make_date(_year(found, reading), month_number(found["month"]), 1)
        )
    return None


def _relative_period(unit: str, shift: int, reading: Reading) -> Period:
    return _PERIOD_OF[unit](_shifted(reading.today, unit, shift))


def _shifted(date: dt.date, unit: str, shift: int) -> dt.date:
    if unit == "week":
        return shift_date(date, days=7 * shift)
    return shift_date(arithmetic.month_of(date).first, months=_MONTHS_OF[unit] * shift)


def _far(words: str) -> int:
    return 2 if words == "after next" else -2


def _year(found: re.Match[str], reading: Reading) -> int:
    """Without one it is this year's."""
    written = found["year"] or "this year"
    return int(written) if written.isdigit() else reading.today.year + _SHIFTS[written.split()[0]]


def _written(found: re.Match[str], reading: Reading) -> dt.date:
    date = make_date(_year(found, reading), month_number(found["month"]), int(found["day"]))
    named = found["weekday"]
    return checked_weekday(date, weekday_number(named) if named else None)


def _weekday(found: re.Match[str], reading: Reading) -> dt.date:
    """The nearest one in that direction; `this` and none count today."""
    weekday, shift = weekday_number(found["weekday"]), _SHIFTS[found["shift"] or "this"]
    if shift < 0:
        return arithmetic.weekday_before(reading.today, weekday)
    return arithmetic.weekday_from(reading.today, weekday, days=shift)


def _weekday_of_week(found: re.Match[str], reading: Reading) -> dt.date:
    weeks = _SHIFTS[found["shift"]]
    return arithmetic.weekday_of_week(reading.today, weekday_number(found["weekday"]), weeks)


def _same_day(found: re.Match[str], reading: Reading) -> dt.date:
    """`next month` is this day of the month, one month on."""
    shift = _SHIFTS[found["shift"]]
    return _same_day_shifted(found["unit"], shift, reading)


def _same_day_far(found: re.Match[str], reading: Reading) -> dt.date:
    return _same_day_shifted(found["unit"], _far(found["far"]), reading)


def _same_day_shifted(unit: str, shift: int, reading: Reading) -> dt.date:
    if unit == "week":
        return shift_date(reading.today, days=7 * shift)
    return shift_date(reading.today, months=_MONTHS_OF[unit] * shift)


def _edge(found: re.Match[str], reading: Reading) -> dt.date | None:
    period = read_period(found["period"], reading)
    if period is None:
        return None
    return period.last if found["edge"] in ("last", "end") else period.first


def _nth_weekday(found: re.Match[str], reading: Reading) -> dt.date | None:
    period = read_period(found["period"], reading)
    if period is None:
        return None
    nth = -1 if found["nth"] == "last" else int(found["nth"][:-2])
    return arithmetic.nth_weekday(period, weekday_number(found["weekday"]), nth) if nth else None


def _nth_day(found: re.Match[str], reading: Reading) -> dt.date | None:
    period = read_period(found["period"], reading)
    if period is None or period != arithmetic.month_of(period.first):
        return None
    return day_of_month(period.first, int(found["day"]))


def _coming_day(found: re.Match[str], reading: Reading) -> dt.date:
    return coming_day_of_month(reading.today, int(found["day"]))


def _numeric_with_weekday(found: re.Match[str], _reading: Reading) -> dt.date | None:
    date = read_numeric_date(found["rest"])
    return date and checked_weekday(date, weekday_number(found["weekday"]))


type _Form = Callable[[re.Match[str], Reading], dt.date | None]

_FORMS: tuple[tuple[re.Pattern[str], _Form], ...] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (rf"(?:{_SHIFT} )?{_WEEKDAY}", _weekday),
        (rf"{_WEEKDAY} (?:of |in )?{_SHIFT} week", _weekday_of_week),
        (rf"{_SHIFT} week (?:on )?{_WEEKDAY}", _weekday_of_week),
        (rf"{_SHIFT} {_UNIT}", _same_day),
        (rf"{_UNIT} (?P<far>after next|before last)", _same_day_far),
        (r"(?P<edge>1st|last) day (?:of|in) (?P<period>.+)", _edge),
        (r"(?P<edge>start|beginning|end) of (?P<period>.+)", _edge),
        (rf"(?P<nth>[1-5](?:st|nd|rd|th)|last) {_WEEKDAY} (?:of|in) (?P<period>.+)", _nth_weekday),
        (rf"(?:{_WEEKDAY} )?{_NTH} (?:of )?{_MONTH}(?: {_YEAR})?", _written),
        (rf"(?:{_WEEKDAY} )?{_MONTH} {_NTH}(?: {_YEAR})?", _written),
        (rf"(?P<weekday>(?!))?{_YEAR} {_MONTH} {_NTH}", _written),
        (rf"(?:{_WEEKDAY} )?{_NTH}-{_MONTH}-{_YEAR}", _written),
        (rf"{_NTH} (?:day )?of (?P<period>.+)", _nth_day),
        (rf"(?P<period>.+ month) (?:on )?{_NTH}", _nth_day),
        (r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)", _coming_day),
        (rf"{_WEEKDAY} (?P<rest>[-/.0-9]+)", _numeric_with_weekday),
    )
)
