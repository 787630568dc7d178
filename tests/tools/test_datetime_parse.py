"""Any phrase ends with a date, an instant or a code."""

import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.errors import ToolFailure
from tools.types.datetime.parse import parse
from tools.types.datetime.zones import get_zone

CODES = {"empty", "format", "zone", "range", "gap", "ambiguous", "unsupported", "limit"}
NOW = dt.datetime(2026, 11, 29, 12, tzinfo=dt.UTC)
ZONES = st.sampled_from(["UTC", "Asia/Shanghai", "America/New_York", "Australia/Lord_Howe"])

ENGLISH_WORDS = """
a an half and next last this day week month quarter year monday fri of in at on ago from now before
after today tomorrow yesterday 3 15 2026 99999 1.5 hours minutes seconds december may first 2nd end
start am pm noon midnight morning night past to quarter : - / , . 3pm 25:61 UTC +08:00 Asia/Tokyo
EST 29/02/2027 2026-11-29 0000-00-00
"""
ENGLISH = st.sampled_from(ENGLISH_WORDS.split())
CHINESE = st.sampled_from(
    [
        *"今明后前昨大上下本这个周日天月年号点半刻分秒时钟前后一二三十百零〇两早晚初底末第差过从起的每",
        *("星期", "小时", "分钟", "最后", "下午", "凌晨", "晚上", "工作日", "季度", "12:30", "99"),
    ]
)


def outcome(text: str, zone: str) -> str:
    try:
        moment = parse(text, get_zone(zone), NOW)
    except ToolFailure as failure:
        code = failure.code
    else:
        assert not isinstance(moment, dt.datetime) or moment.tzinfo is not None
        return moment.isoformat()
    assert code in CODES
    return code


@given(st.lists(ENGLISH, max_size=7).map(" ".join), ZONES)
@settings(max_examples=400, deadline=None, derandomize=True)
def test_it_ends_any_english_words(text: str, zone: str) -> None:
    outcome(text, zone)


@given(st.lists(CHINESE, max_size=9).map("".join), ZONES)
@settings(max_examples=400, deadline=None, derandomize=True)
def test_it_ends_any_chinese_words(text: str, zone: str) -> None:
    outcome(text, zone)


@given(st.text(max_size=250), ZONES)
@settings(max_examples=200, deadline=None, derandomize=True)
def test_it_ends_any_text(text: str, zone: str) -> None:
    outcome(text, zone)


@given(st.datetimes())
@settings(max_examples=100, derandomize=True, deadline=None)
def test_it_reads_its_own_results(moment: dt.datetime) -> None:
    aware = moment.replace(tzinfo=dt.UTC)
    assert parse(aware.isoformat(), get_zone("Asia/Shanghai"), NOW) == aware
    assert parse(moment.date().isoformat(), get_zone("UTC"), NOW) == moment.date()


@pytest.mark.parametrize(
    "text",
    ["1 day " * 33, "a day before " * 15 + "today", "从明天起" * 40, "9" * 200, "三天前" * 60],
)
def test_it_ends_long_repetitions_soon(text: str) -> None:
    assert outcome(text[:200], "UTC")
