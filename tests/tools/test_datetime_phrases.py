"""A date that is written as people write it, in English or Chinese, is read back as that date."""

import calendar
import datetime as dt
from typing import NamedTuple

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tools.errors import ToolFailure
from tools.types.datetime.arithmetic import shift_date
from tools.types.datetime.iso import Moment
from tools.types.datetime.names import MONTHS, WEEKDAYS
from tools.types.datetime.parse import parse

many = settings(max_examples=300, derandomize=True, deadline=None)
DATES = st.dates(dt.date(1000, 1, 1), dt.date(9990, 12, 31))
TIMES = st.times().map(lambda time: time.replace(second=0, microsecond=0))
NOWS = st.builds(
    dt.datetime.combine,
    st.dates(dt.date(1900, 1, 1), dt.date(2200, 12, 31)),
    st.times().map(lambda time: time.replace(microsecond=0)),
    st.just(dt.UTC),
)
NOW = dt.datetime(2026, 11, 29, 12, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)


def read(text: str, now: dt.datetime = NOW) -> Moment:
    return parse(text, dt.UTC, now)


# --- Numbers in words ---


SMALL = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def in_english(number: int) -> str:
    if number < 20:
        return SMALL[number]
    tens, rest = divmod(number, 10)
    return TENS[tens - 2] + (f"-{SMALL[rest]}" if rest else "")


def ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if 11 <= number % 100 <= 13 else ending}"


def in_chinese(number: int) -> str:
    """As it is spoken: 十, 二十五, 一百零五, 三千零二十."""
    text, skipped = "", False
    for value, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, number = divmod(number, value)
        if digit:
            text += ("零" if skipped and text else "") + "零一二三四五六七八九"[digit] + name
        skipped = not digit
    return text.removeprefix("一") if text.startswith("一十") else text or "零"


def digit_by_digit(number: int) -> str:
    return "".join("〇一二三四五六七八九"[int(digit)] for digit in str(number))


# --- Dates ---


def english_dates(date: dt.date) -> list[str]:
    day, year = date.day, date.year
    month, weekday = MONTHS[date.month - 1], WEEKDAYS[date.weekday()]
    return [
        f"{day} {month} {year}",
        f"{month} {day}, {year}",
        f"{month[:3]}. {day} {year}",
        f"the {ordinal(day)} of {month}, {year}",
        f"{weekday}, {day} {month[:3]} {year}",
        f"{weekday[:3]} {month} {ordinal(day)} {year}",
        f"{year} {month} {day}",
        f"{day}-{month[:3]}-{year}",
        f"{year}/{date.month}/{day}",
        f"{year}.{date.month:02d}.{day:02d}",
        f"on {month.upper()} {day} in {year}",
        date.isoformat(),
        date.strftime("%G-W%V-%u"),
    ]


def chinese_dates(date: dt.date) -> list[str]:
    year, month, day = date.year, date.month, date.day
    weekday = "一二三四五六日"[date.weekday()]
    return [
        f"{year}年{month}月{day}日",
        f"{year}年{month:02d}月{day:02d}号",
        f"{year} 年 {month} 月 {day} 日",
        f"{digit_by_digit(year)}年{in_chinese(month)}月{in_chinese(day)}日",
        f"{year}年{month}月{day}號星期{weekday}",
        f"{year}年{month}月{day}日（周{weekday}）",
        f"{year}年{month}月{day}日，禮拜{weekday.replace('日', '天')}",
        f"{year}年{month}月{day}".translate({ord("1"): "１", ord("2"): "２"}),
    ]


def of_both(date: dt.date) -> list[str]:
    return [*english_dates(date), *chinese_dates(date)]


@many
@given(DATES, NOWS)
def test_a_written_date_is_read_back_whatever_day_it_is(date: dt.date, now: dt.datetime) -> None:
    assert {text: read(text, now) for text in of_both(date)} == dict.fromkeys(of_both(date), date)


@many
@given(DATES, st.integers(1, 6))
def test_a_weekday_that_is_not_the_dates_is_a_misprint(date: dt.date, days: int) -> None:
    wrong = date + days * DAY
    for text in (
        f"{WEEKDAYS[wrong.weekday()]}, {date.day} {MONTHS[date.month - 1]} {date.year}",
        f"{date.year}年{date.month}月{date.day}日星期{'一二三四五六日'[wrong.weekday()]}",
    ):
        assert refused(text) == "format"


def refused(text: str) -> str:
    with pytest.raises(ToolFailure) as failure:
        read(text)
    return failure.value.code


# --- With a time of day ---


def english_times(time: dt.time) -> list[str]:
    half, hour = ("am", "pm")[time.hour >= 12], (time.hour - 1) % 12 + 1
    told = [
        f"{time:%H:%M}",
        f"{time:%H:%M:%S}",
        f"{hour}:{time.minute:02d} {half}",
        f"{hour}:{time.minute:02d}{half.upper()}",
        f"{hour}:{time.minute:02d} {half[0]}.m.",
    ]
    if time.minute == 0:
        told += [f"{hour}{half}", f"{hour} {half}"]
    if time.minute:
        told.append(f"{time.minute} minutes past {hour}{half}")
    return told


def chinese_times(time: dt.time) -> list[str]:
    hour, minute = time.hour, time.minute
    told = [
        f"{hour}点{minute}分",
        f"{hour}时{minute:02d}分",
        f"{time:%H:%M}",
        f"{hour}點{minute}分",
    ]
    spoken = f"{in_chinese(minute)}分" if minute else "整"
    for part, first, last in (("凌晨", 1, 5), ("早上", 6, 10), ("上午", 1, 11), ("下午", 13, 18),
                              ("晚上", 18, 23), ("傍晚", 17, 19)):  # fmt: skip
        if first <= hour <= last:
            told.append(f"{part}{in_chinese((hour - 1) % 12 + 1)}点{spoken}")
            told.append(f"{part}{hour}:{minute:02d}")
    if minute in (15, 30):
        told.append(f"{hour}点{'半' if minute == 30 else '一刻'}")
    return told


@many
@given(DATES, TIMES, st.data())
def test_a_time_beside_a_date_is_read_back(
    date: dt.date, time: dt.time, data: st.DataObject
) -> None:
    moment = dt.datetime.combine(date, time, dt.UTC)
    day = data.draw(st.sampled_from(english_dates(date)[:-1]))
    tag = data.draw(st.sampled_from(chinese_dates(date)[:-1]))
    told = [f"{day} at {clock}" for clock in english_times(time)]
    told += [f"{clock} on {day.removeprefix('on ')}" for clock in english_times(time)]
    told += [f"{tag}{clock}" for clock in chinese_times(time)]
    assert {text: read(text) for text in told} == dict.fromkeys(told, moment)


# --- Counted from today ---


class Unit(NamedTuple):
    english: str
    chinese: str
    days: int = 0
    months: int = 0


UNITS = st.sampled_from(
    [Unit("day", "天", days=1), Unit("week", "周", days=7), Unit("week", "个星期", days=7),
     Unit("month", "个月", months=1), Unit("quarter", "个季度", months=3),
     Unit("year", "年", months=12)]
)  # fmt: skip


def shifted(date: dt.date, count: int, unit: Unit) -> dt.date:
    return shift_date(date, days=count * unit.days, months=count * unit.months)


@many
@given(NOWS, st.integers(1, 99), UNITS)
def test_so_many_from_today_are_counted(now: dt.datetime, count: int, unit: Unit) -> None:
    name = unit.english if count == 1 else f"{unit.english}s"
    numbers = (str(count), in_english(count))
    zh = (str(count), in_chinese(count))
    later = [f"in {number} {name}" for number in numbers]
    later += [f"{number} {name} from now" for number in numbers]
    later += [f"{number} {name} from today" for number in numbers]
    later += [f"{n}{unit.chinese}{after}" for n in zh for after in ("后", "之后", "以后", "後")]
    later += [f"再过{n}{unit.chinese}" for n in zh]
    before = [f"{number} {name} ago" for number in numbers]
    before += [f"{n}{unit.chinese}{ago}" for n in zh for ago in ("前", "之前", "以前")]
    today = now.date()
    expected = dict.fromkeys(later, shifted(today, count, unit))
    expected |= dict.fromkeys(before, shifted(today, -count, unit))
    assert {text: read(text, now) for text in expected} == expected


@many
@given(DATES, st.integers(1, 400), UNITS)
def test_so_many_from_a_date_are_counted(date: dt.date, count: int, unit: Unit) -> None:
    assume(date.year > count + 1 and date.year + count <= 9999)
    name = unit.english if count == 1 else f"{unit.english}s"
    written = english_dates(date)[0]
    tag = chinese_dates(date)[0]
    expected = {
        f"{count} {name} after {written}": shifted(date, count, unit),
        f"{count} {name} before {written}": shifted(date, -count, unit),
        f"{tag}之后{count}{unit.chinese}": shifted(date, count, unit),
        f"{tag}前{in_chinese(count)}{unit.chinese}": shifted(date, -count, unit),
    }
    assert {text: read(text) for text in expected} == expected


@many
@given(NOWS, st.integers(1, 500))
def test_hours_and_minutes_are_counted_from_now(now: dt.datetime, count: int) -> None:
    hours, minutes = dt.timedelta(hours=count), dt.timedelta(minutes=count)
    expected = {
        f"in {count} hours": now + hours,
        f"{count} hours ago": now - hours,
        f"{count} minutes from now": now + minutes,
        f"in {count} hours and {count} minutes": now + hours + minutes,
        f"{count}小时后": now + hours,
        f"{in_chinese(count)}个小时前": now - hours,
        f"{count}分钟后": now + minutes,
        f"{count}个半小时后": now + hours + dt.timedelta(minutes=30),
        f"{count}小时{count}分钟后": now + hours + minutes,
    }
    assert {text: read(text, now) for text in expected} == expected


# --- Weekdays, months and their edges ---


@many
@given(NOWS, st.integers(0, 6))
def test_weekdays_are_the_nearest_or_those_of_a_week(now: dt.datetime, weekday: int) -> None:
    today, name, sign = now.date(), WEEKDAYS[weekday], "一二三四五六日"[weekday]
    monday = today - today.weekday() * DAY
    coming = next(day for day in map(today.__add__, days(0, 7)) if day.weekday() == weekday)
    later = next(day for day in map(today.__add__, days(1, 8)) if day.weekday() == weekday)
    past = next(day for day in map(today.__sub__, days(1, 8)) if day.weekday() == weekday)
    of_week = {week: monday + (7 * week + weekday) * DAY for week in range(-2, 3)}
    expected = {
        name: coming, f"this {name}": coming, f"next {name}": later, f"last {name}": past,
        f"{name} next week": of_week[1], f"{name} of last week": of_week[-1],
        f"next week on {name.lower()}": of_week[1],
        f"周{sign}": coming, f"下周{sign}": of_week[1], f"上星期{sign}": of_week[-1],
        f"本周{sign}": of_week[0], f"这个礼拜{sign}": of_week[0], f"下下周{sign}": of_week[2],
        f"上上周{sign}": of_week[-2], f"下個星期{sign}": of_week[1],
    }  # fmt: skip
    assert {text: read(text, now) for text in expected} == expected


def days(first: int, last: int) -> list[dt.timedelta]:
    return [number * DAY for number in range(first, last)]


@many
@given(NOWS, st.integers(1000, 9990), st.integers(1, 12))
def test_the_edges_of_a_month_are_its_first_and_last_day(
    now: dt.datetime, year: int, month: int
) -> None:
    name = MONTHS[month - 1]
    first = dt.date(year, month, 1)
    last = first.replace(day=calendar.monthrange(year, month)[1])
    this = now.date().replace(day=1)
    after = (this + 31 * DAY).replace(day=1)
    expected = {
        f"first day of {name} {year}": first, f"last day of {name} {year}": last,
        f"the end of {name} {year}": last, f"beginning of {name}, {year}": first,
        f"{year}年{month}月底": last, f"{year}年{in_chinese(month)}月初": first,
        f"{year}年{month}月最后一天": last, f"{year}年{month}月的第一天": first,
        "last day of this month": after - DAY, "first day of next month": after,
        "last day of last month": this - DAY, "本月最后一天": after - DAY, "下个月一号": after,
        "上个月最后一天": this - DAY, "月底": after - DAY,
    }  # fmt: skip
    assert {text: read(text, now) for text in expected} == expected


@many
@given(st.integers(1000, 9990), st.integers(1, 12), st.integers(0, 6))
def test_the_nth_weekday_of_a_month_is_found(year: int, month: int, weekday: int) -> None:
    name, sign = WEEKDAYS[weekday], "一二三四五六日"[weekday]
    weeks = calendar.monthcalendar(year, month)
    found = [dt.date(year, month, week[weekday]) for week in weeks if week[weekday]]
    expected = {
        f"last {name} of {MONTHS[month - 1]} {year}": found[-1],
        f"{year}年{month}月最后一个星期{sign}": found[-1],
    }
    for number, date in enumerate(found, start=1):
        expected[f"{ordinal(number)} {name} in {MONTHS[month - 1]} {year}"] = date
        expected[f"{year}年{month}月第{in_chinese(number)}个周{sign}"] = date
    assert {text: read(text) for text in expected} == expected
    if len(found) == 4:
        fifth = f"fifth {name} of {MONTHS[month - 1]} {year}"
        assert refused(fifth) == "format"


@many
@given(NOWS)
def test_days_with_a_name_are_so_far_away(now: dt.datetime) -> None:
    today = now.date()
    expected = {
        "today": 0, "tomorrow": 1, "yesterday": -1, "day after tomorrow": 2,
        "the day before yesterday": -2, "今天": 0, "明天": 1, "昨天": -1, "后天": 2, "後天": 2,
        "前天": -2, "大后天": 3, "大前天": -3, "明日": 1, "a week from today": 7,
        "a fortnight ago": -14, "下周": 7,
    }  # fmt: skip
    found = {text: read(text, now) for text in expected}
    assert found == {text: today + number * DAY for text, number in expected.items()}
