"""English spellings brought to one form: lower case, digits for numbers, no articles."""

import re
from fractions import Fraction

from tools.types.datetime.names import MONTHS, WEEKDAYS
from tools.types.datetime.spans import Span, make_span

_SMALL = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ORDINALS = {
    "first": "1st",
    "second": "2nd",
    "third": "3rd",
    "fourth": "4th",
    "fifth": "5th",
}
_NUMBERS = {word: number for number, word in enumerate(_SMALL)}
_NUMBERS |= {word: 10 * number for number, word in enumerate(_TENS, start=2)}

_COMPOUND = re.compile(rf"\b({'|'.join(_TENS)})[ -]({'|'.join(_SMALL[1:10])})\b")
_SINGLE = re.compile(rf"\b(?:{'|'.join(_NUMBERS)})\b")
_ORDINAL = re.compile(
    rf"\b({'|'.join(_ORDINALS)})(?= (?:day|of|{'|'.join(WEEKDAYS + MONTHS)})\b)", re.IGNORECASE
)
_REWRITES = (
    (re.compile(r"['’`]"), "'"),
    (re.compile(r"\b([ap])\.\s?m\b\.?"), r"\1m"),
    (re.compile(r"[,;()]|\b(?:the|exactly)\b|(?<=[a-z])\."), " "),
    (re.compile(r"o'\s?clock"), "oclock"),
    (re.compile(r"'s?\b|'"), " "),
    (re.compile(r"\b(?:an?|one) hundred\b"), "100"),
    (re.compile(r"\ba couple(?: of)?\b"), "2"),
    (re.compile(r"(?<!and )\ba half\b"), "half"),
    (re.compile(r"[.!?]+$"), " "),
)

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
WEEKDAY = (
    r"(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?"
    r"|sat(?:urday)?|sun(?:day)?)"
)

_UNITS = {
    r"s|secs?|seconds?": (1, "second"),
    r"min|mins|minutes?": (1, "minute"),
    r"quarters? of an hour|quarter hours?": (1, "quarter-hour"),
    r"h|hrs?|hours?": (1, "hour"),
    r"business days?|work(?:ing)? ?days?|weekdays?": (1, "business"),
    r"d|days?": (1, "day"),
    r"w|wks?|weeks?": (1, "week"),
    r"fortnights?": (2, "week"),
    r"months?": (1, "month"),
    r"quarters?": (1, "quarter"),
    r"y|yrs?|years?": (1, "year"),
    r"decades?": (10, "year"),
}
_PIECE = re.compile(
    r"(?:(?P<half>half(?: an?)?) ?|(?P<count>[0-9]+(?:\.[0-9]+)?|an?)(?P<more> and a half)? ?)"
    rf"(?P<unit>{'|'.join(_UNITS)})\b(?P<behind> and a half)?(?: and |\ |$)"
)


def simplified(text: str) -> str:
    text = text.lower()
    for pattern, replacement in _REWRITES:
        text = pattern.sub(replacement, text)
    text = _ORDINAL.sub(lambda found: _ORDINALS[found[1]], text)
    text = _COMPOUND.sub(lambda found: str(_NUMBERS[found[1]] + _NUMBERS[found[2]]), text)
    text = _SINGLE.sub(lambda found: str(_NUMBERS[found.group()]), text)
    return " ".join(text.split())


def month_number(word: str) -> int:
    return _index(word, MONTHS) + 1


def weekday_number(word: str) -> int:
    return _index(word, WEEKDAYS)


def _index(word: str, names: tuple[str, ...]) -> int:
    return next(number for number, name in enumerate(names) if name.lower()[:3] == word[:3])


def read_span(text: str) -> Span | None:
    """`2 hours and 30 minutes`, `an hour and a half`, `half a year`; None when it is none."""
    span, position = Span(), 0
    while position < len(text):
        piece = _PIECE.match(text, position)
        if piece is None:
            return None
        times, unit = _unit(piece["unit"])
        span += make_span(times * _count(piece), unit)
        position = piece.end()
    return span if position else None


def _unit(word: str) -> tuple[int, str]:
    return next(unit for pattern, unit in _UNITS.items() if re.fullmatch(pattern, word))


def _count(piece: re.Match[str]) -> Fraction:
    if piece["half"]:
        return Fraction(1, 2)
    whole = Fraction(1) if piece["count"] in ("a", "an") else Fraction(piece["count"])
    return whole + Fraction(1, 2) if piece["more"] or piece["behind"] else whole
