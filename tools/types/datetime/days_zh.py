"""The day in a Chinese phrase that is already simplified: a table of forms, tried in order."""

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

_WORDS = {
    **dict.fromkeys(("今天", "今日", "今儿", "今"), 0),
    **dict.fromkeys(("明天", "明日", "明儿", "明"), 1),
    **dict.fromkeys(("昨天", "昨日", "昨儿", "昨"), -1),
    **dict.fromkeys(("后天", "后日"), 2),
    **dict.fromkeys(("前天", "前日"), -2),
    "大后天": 3,
    "大前天": -3,
}
_SHIFTS = {
    **dict.fromkeys(("本", "这", "这1", "当"), 0),
    **dict.fromkeys(("下", "下1"), 1),
    **dict.fromkeys(("上", "上1"), -1),
    "下下": 2,
    "上上": -2,
}
_YEARS = {
    **dict.fromkeys(("今年", "本年", "当年", "这1年"), 0),
    **dict.fromkeys(("明年", "下1年", "来年"), 1),
    **dict.fromkeys(("去年", "上1年"), -1),
    "后年": 2,
    "前年": -2,
    "大后年": 3,
    "大前年": -3,
}
_SHIFT = r"(?P<shift>下下|上上|下1?|上1?|本|这1?|当)"
_YEAR = rf"(?P<year>[0-9]{{4}}年|{'|'.join(sorted(_YEARS, key=len, reverse=True))})"
_MONTH = r"(?P<month>[0-9]{1,2})月份?"
_WEEKDAY = r"W(?P<weekday>[1-7]);"
_EDGE = r"(?P<edge>初|底|末|终|第1[天日]|最后1[天日])"
_NTH_WEEKDAY = rf"(?:第(?P<nth>[1-5])|(?P<last>最后1))个{_WEEKDAY}"
_WITH_WEEKDAY = rf"(?:\(?{_WEEKDAY}\)?)?"


def read_day(text: str, reading: Reading) -> dt.date | None:
    """Raises `ToolFailure` when the form is known and the day is none."""
    if text in _WORDS:
        return shift_date(reading.today, days=_WORDS[text])
    for pattern, read in _FORMS:
        if found := pattern.fullmatch(text):
            return read(found, reading)
    return read_numeric_date(text)


def _groups(found: re.Match[str]) -> dict[str, str]:
    return {name: value for name, value in found.groupdict().items() if value}


def _year(found: re.Match[str], reading: Reading) -> int:
    """Without one it is this year's."""
    written = _groups(found).get("year", "今年")
    return reading.today.year + _YEARS[written] if written in _YEARS else int(written[:-1])


def _month(found: re.Match[str], reading: Reading) -> Period:
    """The month of the phrase: by number and year, or by its distance from this one."""
    groups = _groups(found)
    if "month" in groups:
        first = make_date(_year(found, reading), int(groups["month"]), 1)
    else:
        first = shift_date(reading.today.replace(day=1), months=_shift(found))
    return arithmetic.month_of(first)


def _shift(found: re.Match[str]) -> int:
    return _SHIFTS[_groups(found).get("shift", "本")]


def _weekday_number(found: re.Match[str]) -> int | None:
    weekday = _groups(found).get("weekday")
    return int(weekday) - 1 if weekday else None


def _weekday(found: re.Match[str], reading: Reading) -> dt.date:
    """With 上 or 下 of that calendar week, alone the nearest to come, today included."""
    weekday = int(found["weekday"]) - 1
    if found["shift"]:
        return arithmetic.weekday_of_week(reading.today, weekday, _shift(found))
    return arithmetic.weekday_from(reading.today, weekday, days=0)


def _same_day_of_week(found: re.Match[str], reading: Reading) -> dt.date:
    return shift_date(reading.today, days=7 * _shift(found))


def _same_day_of_month(found: re.Match[str], reading: Reading) -> dt.date:
    return shift_date(reading.today, months=_shift(found))


def _same_day_of_year(found: re.Match[str], reading: Reading) -> dt.date:
    return shift_date(reading.today, months=12 * (_year(found, reading) - reading.today.year))


def _day_of_month(found: re.Match[str], reading: Reading) -> dt.date:
    date = day_of_month(_month(found, reading).first, int(found["day"]))
    return checked_weekday(date, _weekday_number(found))


def _coming_day(found: re.Match[str], reading: Reading) -> dt.date:
    return coming_day_of_month(reading.today, int(found["day"]))


def _edge(found: re.Match[str], period: Period) -> dt.date:
    return period.first if found["edge"] in ("初", "第1天", "第1日") else period.last


def _edge_of_month(found: re.Match[str], reading: Reading) -> dt.date:
    return _edge(found, _month(found, reading))


def _edge_of_year(found: re.Match[str], reading: Reading) -> dt.date:
    return _edge(found, arithmetic.year_of(make_date(_year(found, reading), 1, 1)))


def _edge_of_quarter(found: re.Match[str], reading: Reading) -> dt.date:
    first = reading.today.replace(day=1)
    return _edge(found, arithmetic.quarter_of(shift_date(first, months=3 * _shift(found))))


def _nth_weekday(found: re.Match[str], reading: Reading) -> dt.date:
    nth = -1 if found["last"] else int(found["nth"])
    return arithmetic.nth_weekday(_month(found, reading), int(found["weekday"]) - 1, nth)


type _Form = Callable[[re.Match[str], Reading], dt.date]

_FORMS: tuple[tuple[re.Pattern[str], _Form], ...] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (rf"(?:{_SHIFT}个?周?)?{_WEEKDAY}", _weekday),
        (rf"{_SHIFT}个?周", _same_day_of_week),
        (rf"{_SHIFT}个?月", _same_day_of_month),
        (rf"{_SHIFT}个?月份?(?P<day>[0-9]{{1,2}})[号日]?{_WITH_WEEKDAY}", _day_of_month),
        (rf"(?:{_SHIFT}个?)?月份?{_EDGE}", _edge_of_month),
        (rf"{_SHIFT}个?月份?{_NTH_WEEKDAY}", _nth_weekday),
        (rf"(?:{_SHIFT}个?)?季度?{_EDGE}", _edge_of_quarter),
        (rf"{_YEAR}?{_MONTH}(?P<day>[0-9]{{1,2}})[号日]?{_WITH_WEEKDAY}", _day_of_month),
        (rf"{_YEAR}?{_MONTH}{_EDGE}", _edge_of_month),
        (rf"{_YEAR}?{_MONTH}{_NTH_WEEKDAY}", _nth_weekday),
        (rf"(?:{_YEAR}年?|年){_EDGE}", _edge_of_year),
        (rf"{_YEAR}今[天日]", _same_day_of_year),
        (rf"(?![0-9]){_YEAR}", _same_day_of_year),
        (r"(?P<day>[0-9]{1,2})[号日]", _coming_day),
    )
)
