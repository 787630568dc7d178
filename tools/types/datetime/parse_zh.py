"""Chinese phrases: 明天下午三点, 下周一, 三天后, 本月最后一天."""

import datetime as dt
import re

from tools.types.datetime.days_zh import read_day
from tools.types.datetime.iso import Moment
from tools.types.datetime.iso import read as read_iso
from tools.types.datetime.phrases import Reading, not_supported
from tools.types.datetime.spans import Span
from tools.types.datetime.time_zh import take_clock
from tools.types.datetime.words_zh import read_span, simplified

_NOW = frozenset({"现在", "此刻", "当前", "目前", "此时", "此时此刻", "这会儿", "当前时间"})
_DIGIT = "〇零一二三四五六七八九"
_UNSUPPORTED = re.compile(
    r"农历|农曆|農曆|阴历|正月|腊月|[冬闰]月|初[一二三四五六七八九十]|大年|除夕|春节|元旦|国庆|中秋"
    r"|端午|清明|元宵|重阳|七夕|圣诞|冬至|夏至|立春|[节節]|假期|每[天日周月年个隔]|隔天"
    rf"|(?<![{_DIGIT}])五一(?![{_DIGIT}年])"  # not the year 二〇五一
)
_AFTER = r"(?:[之以]?后|过后)"
_BEFORE = r"[之以]?前"
_FROM_NOW = re.compile(
    rf"(?:再?过|[从自]?(?:现在|今天|今日)(?:起|开始|算起)?(?:再?过)?)?(?P<span>.+?){_AFTER}(?:今[天日])?"
)
_PASSED = re.compile(r"再?过(?P<span>.+)")
_BACK = re.compile(rf"(?P<span>.+?){_BEFORE}(?:今[天日])?")
_STARTING = re.compile(
    rf"[从自](?P<base>.+?)(?:起|开始|算起)(?:再?过|往后)?(?P<span>.+?)(?:{_AFTER})?"
)
_BESIDE = re.compile(rf"(?P<base>.+?)(?:{_AFTER}|(?P<before>{_BEFORE}))(?:第)?(?P<span>.+)")
_SAME_TIME = re.compile(r"(?P<day>.+?)(?:此时|此刻|现在|这个?时候|这个?时间|同一时间)")


def parse_chinese(text: str, reading: Reading) -> Moment | None:
    """A date, a naive local time or an instant; None when no form fits.

    Raises `ToolFailure` when one does and means no time, or more than one.
    """
    if found := _UNSUPPORTED.search(text):
        not_supported(found.group())
    return _read(simplified(text), reading)


def _read(text: str, reading: Reading) -> Moment | None:
    if text in _NOW:
        return reading.now
    relative = _read_relative(text, reading)
    if relative is not None:
        return relative
    if found := _SAME_TIME.fullmatch(text):
        day = _read_day(found["day"], reading)
        return day and dt.datetime.combine(day, reading.now.time())
    rest, clock = take_clock(text)
    day = _read_day(rest, reading) if rest else reading.today
    if day is None or clock is None:
        return day
    return clock.on(day)


def _read_relative(text: str, reading: Reading) -> Moment | None:
    for pattern, sign in ((_FROM_NOW, 1), (_PASSED, 1), (_BACK, -1)):
        found = pattern.fullmatch(text)
        span = read_span(found["span"]) if found else None
        if span is not None:
            # Hours are counted from this moment, days from today.
            base = reading.now if span.seconds else reading.today
            return (span if sign > 0 else -span).after(base, reading.zone)
    return _read_from_base(text, reading)


def _read_from_base(text: str, reading: Reading) -> Moment | None:
    for pattern in (_STARTING, _BESIDE):
        found = pattern.fullmatch(text)
        span = read_span(found["span"]) if found else None
        if found is None or span is None:
            continue
        base = _read(found["base"], reading)
        if base is not None:
            return _signed(span, found).after(base, reading.zone)
    return None


def _signed(span: Span, found: re.Match[str]) -> Span:
    return -span if found.groupdict().get("before") else span


def _read_day(text: str, reading: Reading) -> dt.date | None:
    day = read_day(text, reading)
    if day is not None:
        return day
    moment = read_iso(text) if text[:1].isdigit() else None
    moment = _read_relative(text, reading) if moment is None else moment
    return None if isinstance(moment, dt.datetime) else moment
