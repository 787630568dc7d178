"""Which words are a date or a time for the `datetime` tool, and in what form it takes them."""

import re

_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december|"
    "jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec"
)
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tue|wed|thu|fri|sat|sun"
_NUMBER = r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve)"
_DATE_WORDS = re.compile(
    rf"(?:\b(?:today|tomorrow|yesterday|{_DAYS})\b"
    r"|\b(?:next|last|this|coming) (?:week|month|year|weekend|day)\b"
    rf"|\b(?:{_MONTHS})\b(?=.*\d)|\d.*\b(?:{_MONTHS})\b"
    rf"|\b{_NUMBER} (?:days?|weeks?|fortnights?|months?|years?)\b|\d{{4}}-\d\d?-\d\d?"
    r"|[今明后昨前]天|[今明后昨]日|(?:周|星期|礼拜)[一二三四五六日天]|下个?月|上个?月|[今明去后前]年"
    r"|[\d一二三四五六七八九十百两半]+(?:天|日|周|个?星期|个?月|年)(?:之?后|之?前|以后|以前)"
    r"|\d+月\d+[日号])",
    re.IGNORECASE,
)
_MAX_PHRASE = 60
_FROM_NOW = re.compile(
    r"(?:in )?(.+?) (?:from (?:now|today)|hence|later|after today)", re.IGNORECASE
)
_BEFORE_NOW = re.compile(r"(.+?) (?:before (?:now|today)|earlier)", re.IGNORECASE)
_AROUND = re.compile(
    r"^(?:of|on|for|the date (?:of|on|for)|the day (?:of|on))\s+|(?:'s)? (?:date|day)$"
    r"|(?:的日期|那天|那一天)$",
    re.IGNORECASE,
)
_ISO_DATE = re.compile(r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})[日号]?")
_ISO_TIME = re.compile(r"(\d{4}-\d{2}-\d{2})[\sT]+(\d{1,2}):(\d{2})(?::(\d{2}))?")
_TIME = re.compile(
    r"\d{1,2}:\d{2}|\b\d{1,2}\s*[ap]\.?m\b|\b(?:noon|midnight|now)\b|[\d一二三四五六七八九十两]+[点时]"
    r"|\d{4}-\d\d?-\d\d?",
    re.IGNORECASE,
)
_UNITS = {"天": "days", "日": "days", "周": "weeks", "星期": "weeks", "月": "months", "年": "years"}


def padded_date(text: str) -> str:
    """`2026-1-5`, `2026/1/5`, `2026年1月5日` as `2026-01-05`; other text as it is."""
    match = _ISO_DATE.fullmatch(text.strip())
    if not match:
        return text.strip()
    year, month, day = match.groups()
    return f"{year}-{int(month):02}-{int(day):02}"


def date_phrase(words: str) -> str:
    """The phrase for the tool's `parse`, or "" when the words are no date."""
    text = _AROUND.sub("", words.strip().rstrip("?？.。")).strip()
    if len(text) > _MAX_PHRASE or not _DATE_WORDS.search(text):
        return ""
    if match := _FROM_NOW.fullmatch(text):
        return f"in {match[1]}"
    if match := _BEFORE_NOW.fullmatch(text):
        return f"{match[1]} ago"
    return padded_date(text)


def is_iso_date(text: str) -> bool:
    return _ISO_DATE.fullmatch(text) is not None and padded_date(text) == text


def is_time(text: str) -> bool:
    return _TIME.search(text) is not None


def local_datetime(text: str) -> str:
    """A full date and time as `2026-03-20T12:00:00`, or "" when the tool must parse the phrase."""
    match = _ISO_TIME.fullmatch(re.sub(r"^\S+", lambda m: padded_date(m[0]), text.strip()))
    if not match:
        return ""
    date, hour, minute, second = match.groups()
    return f"{date}T{int(hour):02}:{minute}:{second or '00'}"


def unit_name(word: str) -> str:
    word = word.lower()
    return _UNITS.get(word.removeprefix("个"), f"{word.rstrip('s')}s")
