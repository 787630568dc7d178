"""`strftime` patterns, by an own table: the C library's depends on platform and locale."""

import datetime as dt
import re
from collections.abc import Callable

from django.utils.translation import gettext as _

from tools.errors import fail
from tools.types.datetime.limits import MAX_FORMAT_CHARS
from tools.types.datetime.names import MONTHS, WEEKDAYS

_DIRECTIVE = re.compile(r"%(?P<flag>[-:]?)(?P<letter>.?)", re.DOTALL)
_TAKES_FLAG = {"-": "dmyHIMSjuwGVe", ":": "z"}


def _padded(width: int, value: Callable[[dt.datetime], int]) -> Callable[[dt.datetime], str]:
    return lambda moment: f"{value(moment):0{width}d}"


def _offset(moment: dt.datetime) -> str:
    return _zoned(moment).isoformat()[-6:].replace(":", "")


def _zoned(moment: dt.datetime) -> dt.datetime:
    if moment.tzinfo is None:
        fail("format", _("The datetime has no offset, but the format asks for one."))
    return moment


def _sunday_week(moment: dt.datetime) -> int:
    return (moment.timetuple().tm_yday + 6 - (moment.weekday() + 1) % 7) // 7


def _monday_week(moment: dt.datetime) -> int:
    return (moment.timetuple().tm_yday + 6 - moment.weekday()) // 7


DIRECTIVES: dict[str, Callable[[dt.datetime], str]] = {
    "Y": _padded(4, lambda moment: moment.year),
    "y": _padded(2, lambda moment: moment.year % 100),
    "m": _padded(2, lambda moment: moment.month),
    "d": _padded(2, lambda moment: moment.day),
    "e": lambda moment: f"{moment.day:2d}",
    "H": _padded(2, lambda moment: moment.hour),
    "I": _padded(2, lambda moment: (moment.hour - 1) % 12 + 1),
    "M": _padded(2, lambda moment: moment.minute),
    "S": _padded(2, lambda moment: moment.second),
    "f": _padded(6, lambda moment: moment.microsecond),
    "j": _padded(3, lambda moment: moment.timetuple().tm_yday),
    "p": lambda moment: "AM" if moment.hour < 12 else "PM",
    "A": lambda moment: WEEKDAYS[moment.weekday()],
    "a": lambda moment: WEEKDAYS[moment.weekday()][:3],
    "B": lambda moment: MONTHS[moment.month - 1],
    "b": lambda moment: MONTHS[moment.month - 1][:3],
    "h": lambda moment: MONTHS[moment.month - 1][:3],
    "u": lambda moment: str(moment.isoweekday()),
    "w": lambda moment: str(moment.isoweekday() % 7),
    "G": _padded(4, lambda moment: moment.isocalendar().year),
    "V": _padded(2, lambda moment: moment.isocalendar().week),
    "U": _padded(2, _sunday_week),
    "W": _padded(2, _monday_week),
    "F": lambda moment: moment.date().isoformat(),
    "T": lambda moment: moment.strftime("%H:%M:%S"),
    "R": lambda moment: moment.strftime("%H:%M"),
    "D": lambda moment: moment.strftime("%m/%d/%y"),
    "z": _offset,
    "Z": lambda moment: _zoned(moment).tzname() or "",
    "s": lambda moment: str(int(_zoned(moment).timestamp())),
    "%": lambda _moment: "%",
}


def format_moment(moment: dt.datetime, pattern: str) -> str:
    """Raises `ToolFailure`: empty, limit, and format for a directive that is not known."""
    if not pattern:
        fail("empty", _("The format is empty."))
    if len(pattern) > MAX_FORMAT_CHARS:
        fail(
            "limit", _("The format is longer than %(max)d characters.") % {"max": MAX_FORMAT_CHARS}
        )
    if "%" not in pattern:
        fail("format", _("Write the format with strftime directives, such as %Y-%m-%d %H:%M."))
    return _DIRECTIVE.sub(lambda found: _directive(moment, found), pattern)


def _directive(moment: dt.datetime, found: re.Match[str]) -> str:
    flag, letter = found["flag"], found["letter"]
    known = letter in DIRECTIVES and (not flag or letter in _TAKES_FLAG[flag])
    if not known:
        fail("format", _("The format directive %(name)s is not known.") % {"name": found.group()})
    text = DIRECTIVES[letter](moment)
    if flag == "-":
        return text.strip().lstrip("0") or "0"
    return f"{text[:3]}:{text[3:]}" if flag == ":" else text
