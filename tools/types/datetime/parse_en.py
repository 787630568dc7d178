"""English phrases: `tomorrow at 3pm`, `in 3 days`, `last Friday of next month`."""

import datetime as dt
import re

from tools.types.datetime.days_en import read_day
from tools.types.datetime.iso import Moment
from tools.types.datetime.iso import read as read_iso
from tools.types.datetime.phrases import Clock, Reading, need_hour, not_supported
from tools.types.datetime.time_en import take_clock, take_part, tidied
from tools.types.datetime.words_en import read_span, simplified

_NOW = frozenset({"now", "right now", "just now", "current time", "at present"})
_UNSUPPORTED = re.compile(
    r"\b(?:every|each|daily|weekly|monthly|yearly|annually|christmas|xmas|easter|thanksgiving"
    r"|halloween|new year s?|ramadan|diwali|hanukkah|valentine s|chinese new year|lunar"
    r"|spring festival|holidays?)\b"
)
_BACK = re.compile(r"(?P<span>.+?) (?:ago|earlier|back)")
_ON = re.compile(r"(?:in|within|after) (?P<span>.+?)(?: time)?")
_FROM_NOW = re.compile(r"(?P<span>.+?) (?:from now|hence|later)")
_BESIDE = re.compile(r"(?P<span>.+?) (?P<side>before|after|from) (?P<rest>.+)")
_SAME_TIME = re.compile(
    r"(?:at )?(?:this|same) time (?:on )?(?P<day>.+)|(?P<day2>.+?) (?:at )?(?:this|same) time"
)
_ONE = re.compile(r"day|week|fortnight|month|quarter|year")


def parse_english(text: str, reading: Reading) -> Moment | None:
    """A date, a naive local time or an instant; None when no form fits.

    Raises `ToolFailure` when one does and means no time, or more than one.
    """
    plain = simplified(text)
    if found := _UNSUPPORTED.search(plain):
        not_supported(found.group())
    return _read(plain, reading)


def _read(text: str, reading: Reading) -> Moment | None:
    if text in _NOW:
        return reading.now
    relative = _read_relative(text, reading)
    if relative is not None:
        return relative
    if found := _SAME_TIME.fullmatch(text):
        day = _read_day(found["day"] or found["day2"], reading)
        return day and dt.datetime.combine(day, reading.now.time())
    return _read_day_and_clock(text, reading)


def _read_relative(text: str, reading: Reading) -> Moment | None:
    for pattern, sign in ((_BACK, -1), (_ON, 1), (_FROM_NOW, 1)):
        found = pattern.fullmatch(text)
        span = read_span(found["span"]) if found else None
        if span is not None:
            return (span if sign > 0 else -span).after(
                _base(span.seconds != 0, reading), reading.zone
            )
    return _read_beside(text, reading)


def _base(exact: bool, reading: Reading) -> Moment:
    """Hours are counted from this moment, days from today."""
    return reading.now if exact else reading.today


def _read_beside(text: str, reading: Reading) -> Moment | None:
    found = _BESIDE.fullmatch(text)
    if found is None:
        return None
    words = found["span"]
    span = read_span(f"1 {words}" if _ONE.fullmatch(words) else words)
    rest = _read(found["rest"], reading) if span else None
    if span is None or rest is None:
        return None
    return (-span if found["side"] == "before" else span).after(rest, reading.zone)


def _read_day_and_clock(text: str, reading: Reading) -> Moment | None:
    rest, part = take_part(tidied(text))
    rest, clock = take_clock(rest, part)
    day = _read_day(rest, reading) if rest or clock is None else reading.today
    if day is None and not (part and not rest):
        return None
    if clock is None or day is None:
        return need_hour() if part else day
    return _next_midnight(rest, text, reading) or clock.on(day)


def _next_midnight(rest: str, text: str, reading: Reading) -> dt.datetime | None:
    """`midnight` without a day is the one to come."""
    if rest or "midnight" not in text:
        return None
    return Clock(dt.time(), days=1).on(reading.today)


def _read_day(text: str, reading: Reading) -> dt.date | None:
    day = read_day(text, reading)
    if day is not None:
        return day
    moment = read_iso(text) if text[:1].isdigit() else None
    moment = _read_relative(text, reading) if moment is None else moment
    return None if isinstance(moment, dt.datetime) else moment
