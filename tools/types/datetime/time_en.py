"""The time of day in an English phrase."""

import re

from tools.types.datetime.phrases import (
    Clock,
    clock_before,
    make_clock,
    two_readings,
)

_PART = r"(?:morning|afternoon|evening|night)"
_PARTS = (
    (re.compile(r"\btonight\b"), "today", "night"),
    (re.compile(r"\blast night\b"), "yesterday", "night"),
    (re.compile(rf"\bthis ({_PART})\b"), "today", ""),
    (re.compile(rf"\b(?:(?:in|at|during) )?({_PART})\b"), "", ""),
)
_EXACT = re.compile(
    r"\b(?P<hour>[0-9]{1,2})(?::(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.[0-9]+)?)?)?"
    r" ?(?P<half>am|pm)\b"
)
_FULL_DAY = re.compile(
    r"(?<![-+:.0-9])(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.[0-9]+)?)?(?![:0-9])"
)
_NAMED = re.compile(r"\b(?P<name>noon|midday|midnight)\b")
_PAST = re.compile(
    r"\b(?P<minute>[0-9]{1,2}|half|quarter|a quarter)(?: minutes?)? (?P<side>past|to) "
    r"(?P<hour>[0-9]{1,2})(?: ?(?P<half>am|pm))?\b"
)
_BARE = re.compile(
    r"\b(?:at (?P<hour>[0-9]{1,2})(?: oclock)?|(?P<hour2>[0-9]{1,2}) oclock)\b(?![:/.-])"
)
_BESIDE_PART = re.compile(r"^(?P<hour>[0-9]{1,2})\b(?! ?[a-z:/.-])|(?<= )(?P<hour2>[0-9]{1,2})$")
_GLUE = re.compile(r"^(?:at|on|by|@)\b|\b(?:at|on|@)$|\bon$|^of\b")


def take_part(text: str) -> tuple[str, str]:
    """The phrase without its part of the day, and that part (empty when it names none)."""
    for pattern, day, part in _PARTS:
        if found := pattern.search(text):
            rest = f"{text[: found.start()]} {day} {text[found.end() :]}"
            return tidied(rest), part or found[1]
    return text, ""


def take_clock(text: str, part: str) -> tuple[str, Clock | None]:
    """The phrase without its time of day, and that time."""
    for pattern, make in _READERS:
        if pattern is _BESIDE_PART and not part:
            continue
        if found := pattern.search(text):
            rest = f"{text[: found.start()]} {text[found.end() :]}"
            return tidied(rest), make(found, part)
    return text, None


def tidied(text: str) -> str:
    text = " ".join(text.split())
    while _GLUE.search(text):
        text = _GLUE.sub("", text).strip()
    return text


def _exact(found: re.Match[str], _part: str) -> Clock:
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    return make_clock(_half_day(hour, found["half"]), minute, int(found["second"] or 0))


def _half_day(hour: int, half: str) -> int:
    if not 1 <= hour <= 12:
        return hour if half == "pm" and 13 <= hour <= 23 else 99
    return hour % 12 + (12 if half == "pm" else 0)


def _full_day(found: re.Match[str], part: str) -> Clock:
    clock = make_clock(int(found["hour"]), int(found["minute"]), int(found["second"] or 0))
    if not part or clock.days:
        return clock
    moved = _in_part(clock.time.hour, part)
    return Clock(clock.time.replace(hour=moved.time.hour), days=moved.days)


def _named(found: re.Match[str], part: str) -> Clock:
    """Midnight begins the day that is named; the night's midnight ends it."""
    if found["name"] == "midnight":
        return make_clock(24 if part == "night" else 0)
    return make_clock(12)


def _past(found: re.Match[str], part: str) -> Clock:
    words = {"half": 30, "quarter": 15, "a quarter": 15}
    minute = words.get(found["minute"]) or int(found["minute"])
    hour = int(found["hour"])
    half = found["half"]
    clock = make_clock(_half_day(hour, half)) if half else _bare_hour(hour, part)
    if found["side"] == "to":
        return clock_before(clock, minute)
    return Clock(make_clock(clock.time.hour, minute).time, days=clock.days)


def _bare(found: re.Match[str], part: str) -> Clock:
    return _bare_hour(int(found["hour"] or found["hour2"]), part)


def _bare_hour(hour: int, part: str) -> Clock:
    if not part and 1 <= hour <= 12:
        two_readings()
    return _in_part(hour, part) if part else make_clock(hour)


def _in_part(hour: int, part: str) -> Clock:
    """`9` in the evening is 21:00. Hours that a part of the day lacks are no time."""
    if part == "night" and hour in (0, 12):
        return make_clock(24)
    if (part == "night" and 1 <= hour <= 5) or (part in ("morning", "evening") and hour == 12):
        two_readings()
    earliest, latest = _HOURS[part]
    for candidate in (hour, hour + 12):
        if earliest <= candidate <= latest:
            return make_clock(candidate)
    return make_clock(99)


_HOURS = {"morning": (0, 11), "afternoon": (12, 18), "evening": (16, 23), "night": (18, 23)}
_READERS = (
    (_PAST, _past),
    (_EXACT, _exact),
    (_FULL_DAY, _full_day),
    (_NAMED, _named),
    (_BARE, _bare),
    (_BESIDE_PART, _bare),
)
