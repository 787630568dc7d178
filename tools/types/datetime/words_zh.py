"""Chinese spellings brought to one form: simplified signs, digits, weekdays as `W1;` … `W7;`."""

import re
from fractions import Fraction

from tools.types.datetime.spans import Span, make_span

_TRADITIONAL = str.maketrans(
    "後週點個鐘兩號時間這禮過現從農曆節內歲開當幾", "后周点个钟两号时间这礼过现从农历节内岁开当几"
)
_DIGITS = {char: digit for digit, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_TENS = {"十": 10, "百": 100, "千": 1_000}
_NUMERAL = re.compile(rf"[{''.join(_DIGITS)}{''.join(_TENS)}]+")
_WEEKDAY = re.compile(r"(?<![0-9一二两三四五六七八九十])(?:周|星期|礼拜)([一二三四五六日天1-7])")
_DAY_NAMES = {name: number for number, name in enumerate("一二三四五六日", start=1)} | {"天": 7}
_NOISE = re.compile(r"[\s,。、!?的]|^[在于到]")
_WEEK = re.compile(r"星期|礼拜")

_UNITS = {
    "秒钟": "second",
    "秒": "second",
    "分钟": "minute",
    "分": "minute",
    "刻钟": "quarter-hour",
    "小时": "hour",
    "钟头": "hour",
    "工作日": "business",
    "天": "day",
    "日": "day",
    "周": "week",
    "月": "month",
    "季度": "quarter",
    "年": "year",
}
_PIECE = re.compile(
    r"(?:(?P<count>[0-9]+(?:\.[0-9]+)?)(?P<of>个)?(?P<more>半)?|(?P<half>半)(?P<of2>个)?)"
    rf"(?P<unit>{'|'.join(_UNITS)})(?P<behind>半)?(?:[零又]|加上)?"
)


def simplified(text: str) -> str:
    text = _NOISE.sub("", text.translate(_TRADITIONAL))
    text = _WEEKDAY.sub(lambda found: f"W{_weekday(found[1])};", text)
    text = _WEEK.sub("周", text)
    return _NUMERAL.sub(lambda found: _number(found.group()), text)


def _weekday(name: str) -> int:
    return _DAY_NAMES.get(name) or int(name)


def _number(numeral: str) -> str:
    """`三十五` is 35; a row of digits (`二〇二六`) is read digit by digit."""
    if not any(char in _TENS for char in numeral):
        return "".join(str(_DIGITS[char]) for char in numeral)
    total, digit = 0, 0
    for char in numeral:
        if char in _TENS:
            total += (digit or 1) * _TENS[char]
            digit = 0
        else:
            digit = _DIGITS[char]
    return str(total + digit)


def read_span(text: str) -> Span | None:
    """`3天`, `1个半小时`, `2年半`, `半个月`; None when it is none."""
    span, position = Span(), 0
    while position < len(text):
        piece = _PIECE.match(text, position)
        if piece is None or not _is_count(piece):
            return None
        span += _piece_span(piece)
        position = piece.end()
    return span if position else None


def _is_count(piece: re.Match[str]) -> bool:
    """`3月` is March, `3个月` three months."""
    return piece["unit"] != "月" or bool(piece["of"] or piece["half"])


def _piece_span(piece: re.Match[str]) -> Span:
    """Half a month is 15 days, as people here count it."""
    unit = _UNITS[piece["unit"]]
    whole = make_span(Fraction(piece["count"] or 0), unit)
    if not (piece["half"] or piece["more"] or piece["behind"]):
        return whole
    return whole + (Span(days=15) if unit == "month" else make_span(Fraction(1, 2), unit))
