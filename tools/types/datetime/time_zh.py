"""The time of day in a Chinese phrase."""

import re

from tools.types.datetime.phrases import (
    Clock,
    clock_before,
    make_clock,
    need_hour,
    two_readings,
)

_MORNING = frozenset({"大清早", "清晨", "清早", "早晨", "早上", "上午", "早"})
_NOON = frozenset({"中午", "正午"})
_EVENING = frozenset({"晚上", "晚间", "夜晚", "晚"})
_NIGHT = frozenset({"夜里", "夜间", "深夜", "半夜", "午夜"})
_HOURS = {
    **dict.fromkeys(_MORNING, (0, 11)),
    **dict.fromkeys(_NOON, (11, 14)),
    **dict.fromkeys(_EVENING, (17, 23)),
    **dict.fromkeys(_NIGHT, (19, 23)),
    "上午": (0, 12),
    "凌晨": (0, 6),
    "下午": (12, 23),
    "午后": (12, 23),
    "傍晚": (16, 20),
    "黄昏": (16, 20),
}
_PART = "|".join(sorted(_HOURS, key=len, reverse=True))
_CLOCK = re.compile(
    rf"(?P<part>{_PART})?(?:差(?:(?P<less>[0-9]{{1,2}})分钟?|(?P<less_quarters>[123])刻钟?))?"
    r"(?<![0-9.])(?P<hour>[0-9]{1,2})"
    r"(?:(?:点钟?|时)(?:(?P<half>半)|(?P<quarters>[123])刻钟?"
    r"|过?(?P<minute>[0-9]{1,2})(?![0-9])分?(?:(?P<second>[0-9]{1,2})秒)?|整)?"
    r"|:(?P<minute2>[0-9]{2})(?::(?P<second2>[0-9]{2}))?)(?P<english>[ap]m)?"
    r"|(?P<part2>" + _PART + r")?(?<![0-9.:])(?P<hour2>[0-9]{1,2})(?P<english2>[ap]m)",
    re.IGNORECASE,
)
_PART_ONLY = re.compile(_PART)


def take_clock(text: str) -> tuple[str, Clock | None]:
    """The phrase without its time of day, and that time."""
    if found := _CLOCK.search(text):
        return text[: found.start()] + text[found.end() :], _read(found)
    if found := _PART_ONLY.search(text):
        return text[: found.start()] + text[found.end() :], _part_alone(found.group())
    return text, None


def _part_alone(part: str) -> Clock:
    if part in _NOON:
        return make_clock(12)
    if part == "午夜":
        return make_clock(24)
    return need_hour()


def _read(found: re.Match[str]) -> Clock:
    minute = int(found["minute"] or found["minute2"] or 0)
    minute = 30 if found["half"] else minute + 15 * int(found["quarters"] or 0)
    second = int(found["second"] or found["second2"] or 0)
    english = (found["english"] or found["english2"] or "").lower()
    part = {"am": "上午", "pm": "下午"}.get(english) or found["part"] or found["part2"]
    hour = int(found["hour"] or found["hour2"])
    if english == "am" and hour == 12:
        hour = 0
    start = _in_part(hour, part) if part else make_clock(hour)
    less = int(found["less"] or 0) + 15 * int(found["less_quarters"] or 0)
    if less:
        return clock_before(start, less)
    return Clock(make_clock(start.time.hour, minute, second).time, days=start.days)


def _in_part(hour: int, part: str) -> Clock:
    """晚上九点 is 21:00. 晚上十二点 ends the day, 凌晨十二点 begins it."""
    if part == "凌晨" and hour == 12:
        return make_clock(0)
    late = part in _EVENING or part in _NIGHT
    if late and hour in (0, 12, 24):
        return make_clock(24)
    if (late and 1 <= hour <= 4) or (part in _MORNING - {"上午"} and hour == 12):
        two_readings()
    earliest, latest = _HOURS[part]
    for candidate in (hour, hour + 12):
        if earliest <= candidate <= latest and (candidate == hour or hour <= 12):
            return make_clock(candidate)
    return make_clock(99)
