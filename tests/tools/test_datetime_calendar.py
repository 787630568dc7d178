"""Clock changes, month ends and ISO weeks, against answers that are found another way."""

import calendar
import datetime as dt
from bisect import bisect_left
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.tools.test_datetime import answer
from tools.errors import ToolFailure
from tools.types.datetime.parse import parse
from tools.types.datetime.zones import get_zone, resolve_local, zone_names

many = settings(max_examples=300, derandomize=True, deadline=None)
HOUR, DAY, DAY_SECONDS = dt.timedelta(hours=1), dt.timedelta(days=1), 86_400
# Changes by an hour and by half of one, at midnight and in the middle of the day, of a whole day,
# in Ramadan, in winter instead of summer, and none.
ZONES = st.one_of(
    st.sampled_from(
        ["America/New_York", "Europe/London", "Europe/Dublin", "Australia/Lord_Howe", "Asia/Beirut",
         "America/Havana", "Pacific/Apia", "Africa/Casablanca", "America/Sao_Paulo", "Asia/Tehran",
         "Antarctica/Troll", "Asia/Shanghai", "America/St_Johns", "Asia/Kathmandu", "UTC"]
    ),
    st.sampled_from(sorted(zone_names())),
)  # fmt: skip
MOMENTS = st.builds(
    dt.datetime.combine,
    st.dates(dt.date(1850, 1, 1), dt.date(2100, 1, 1)),
    st.times().map(lambda time: time.replace(microsecond=0)),
)


def change_after(moment: dt.datetime, zone: dt.tzinfo) -> dt.datetime | None:
    """The first instant at which the offset there is another, within 400 days."""

    def offset(second: int) -> dt.timedelta | None:
        return dt.datetime.fromtimestamp(second, zone).utcoffset()

    first = int(moment.replace(tzinfo=dt.UTC).timestamp())
    for day in range(first, first + 400 * DAY_SECONDS, DAY_SECONDS):
        before = offset(day)
        if before != offset(day + DAY_SECONDS):
            seconds = range(day, day + DAY_SECONDS)
            place = bisect_left(seconds, True, key=lambda second: offset(second) != before)
            return dt.datetime.fromtimestamp(seconds[place], dt.UTC)
    return None


@st.composite
def local_times(draw: st.DrawFn) -> tuple[dt.datetime, str]:
    """Wall clock times, mostly within a few hours of a change of clocks."""
    name = draw(ZONES)
    moment = draw(MOMENTS)
    if draw(st.booleans()):
        change = change_after(moment, get_zone(name))
        if change is not None:
            shift = draw(st.integers(-4 * 3600, 4 * 3600))
            near = (change + dt.timedelta(seconds=shift)).astimezone(get_zone(name))
            return near.replace(tzinfo=None, fold=0), name
    return moment, name


def instants_at(local: dt.datetime, zone: dt.tzinfo) -> list[str]:
    """Every instant at which clocks there show this, by trying each offset of those days."""
    around = [local.replace(tzinfo=dt.UTC) + hours * HOUR for hours in range(-50, 51)]
    offsets = {instant.astimezone(zone).utcoffset() or dt.timedelta() for instant in around}
    found = sorted(local.replace(tzinfo=dt.UTC) - offset for offset in offsets)
    shown = [instant.astimezone(zone) for instant in found]
    return [moment.isoformat() for moment in shown if moment.replace(tzinfo=None, fold=0) == local]


@many
@given(local_times())
def test_a_local_time_is_one_instant_or_none_or_two(place: tuple[dt.datetime, str]) -> None:
    local, name = place
    zone = get_zone(name)
    truth = instants_at(local, zone)
    if len(truth) == 1:
        assert resolve_local(local, zone).isoformat() == truth[0]
        return
    with pytest.raises(ToolFailure) as failure:
        resolve_local(local, zone)
    assert failure.value.code == ("ambiguous" if truth else "gap")
    assert not truth or failure.value.details["choices"] == truth


@many
@given(local_times(), st.integers(-100_000, 100_000))
def test_elapsed_time_ignores_the_clocks(place: tuple[dt.datetime, str], seconds: int) -> None:
    local, name = place
    truth = instants_at(local, get_zone(name))
    assume(len(truth) == 1)
    start = dt.datetime.fromisoformat(truth[0])
    later = answer("add_elapsed", datetime=truth[0], tz=name, seconds=seconds)
    assert dt.datetime.fromisoformat(str(later)) - start == dt.timedelta(seconds=seconds)
    assert answer("diff_seconds", **{"from": truth[0], "to": str(later)}) == seconds


@many
@given(local_times(), st.integers(-40, 40))
def test_a_calendar_day_keeps_the_wall_clock(place: tuple[dt.datetime, str], days: int) -> None:
    local, name = place
    zone = get_zone(name)
    starts, ends = instants_at(local, zone), instants_at(local + days * DAY, zone)
    assume(len(starts) == 1)
    given_: dict[str, Any] = {"datetime": starts[0], "tz": name, "days": days}
    if len(ends) == 1:
        assert answer("add_calendar", **given_) == ends[0]
        return
    with pytest.raises(ToolFailure) as failure:
        answer("add_calendar", **given_)
    assert failure.value.code == ("ambiguous" if ends else "gap")


@many
@given(local_times())
def test_each_of_two_instants_is_itself_again(place: tuple[dt.datetime, str]) -> None:
    local, name = place
    for instant in instants_at(local, get_zone(name)):
        seconds = answer("unix", datetime=instant)
        assert answer("from_unix", seconds=seconds, tz=name) == instant
        assert answer("convert", datetime=instant, to=name) == instant


# --- Months ---

DATES = st.dates()


def month_later(date: dt.date, months: int) -> dt.date | None:
    """By stepping a month at a time."""
    year, month = date.year, date.month
    for _step in range(abs(months)):
        month += 1 if months > 0 else -1
        if month in (0, 13):
            year, month = (year - 1, 12) if month == 0 else (year + 1, 1)
    if not 1 <= year <= 9999:
        return None
    last = max(week[-1] or max(week) for week in calendar.monthcalendar(year, month))
    return dt.date(year, month, min(date.day, max(last, 28)))


@many
@given(
    st.one_of(DATES, DATES.map(lambda date: date.replace(day=28))).flatmap(
        lambda date: st.sampled_from([date, last_of(date)])
    ),
    st.integers(-60, 60),
)
def test_a_month_later_is_the_same_day_or_the_last(date: dt.date, months: int) -> None:
    truth = month_later(date, months)
    if truth is None:
        with pytest.raises(ToolFailure, match="1 to 9999"):
            answer("add_calendar", date=date.isoformat(), months=months)
    else:
        assert answer("add_calendar", date=date.isoformat(), months=months) == truth.isoformat()


def last_of(date: dt.date) -> dt.date:
    return date.replace(day=calendar.monthrange(date.year, date.month)[1])


@many
@given(DATES, st.integers(-4_000_000, 4_000_000))
def test_days_are_counted_as_they_lie(date: dt.date, days: int) -> None:
    number = date.toordinal() + days
    assume(1 <= number <= dt.date.max.toordinal())
    truth = dt.date.fromordinal(number).isoformat()
    assert answer("add_calendar", date=date.isoformat(), days=days) == truth
    assert answer("days_between", **{"from": date.isoformat(), "to": truth}) == days
    assert answer("days_in_month", date=date.isoformat()) == last_of(date).day
    assert answer("quarter", date=date.isoformat()) == -(-date.month // 3)
    assert answer("day_of_year", date=date.isoformat()) == int(date.strftime("%j"))


@many
@given(st.dates(dt.date(2, 1, 1), dt.date(9998, 1, 1)), st.integers(-300, 300), st.sets(DATES))
def test_business_days_pass_over_weekends_and_holidays(
    date: dt.date, days: int, holidays: set[dt.date]
) -> None:
    listed = {*holidays, date + DAY, date - 2 * DAY}
    found = dt.date.fromisoformat(
        str(
            answer(
                "business_days_add",
                date=date.isoformat(),
                days=days,
                holidays=[holiday.isoformat() for holiday in listed],
            )
        )
    )
    step = 1 if days > 0 else -1
    passed = [date + number * step * DAY for number in range(1, abs((found - date).days) + 1)]
    work = [day for day in passed if day.isoweekday() < 6 and day not in listed]
    assert len(work) == abs(days)
    assert not work or work[-1] == found


# --- ISO weeks ---


@many
@given(st.one_of(DATES, st.integers(1, 9998).map(lambda year: dt.date(year, 12, 29)),
                 st.integers(2, 9999).map(lambda year: dt.date(year, 1, 3))),
       st.integers(-3, 3))  # fmt: skip
def test_an_iso_week_is_that_of_its_thursday(date: dt.date, days: int) -> None:
    assume(dt.date(1, 1, 8) <= date <= dt.date(9999, 12, 20))
    date += days * DAY
    thursday = date + (4 - date.isoweekday()) * DAY
    week = (thursday.timetuple().tm_yday + 6) // 7
    text = f"{thursday.year:04d}-W{week:02d}-{date.isoweekday()}"
    assert answer("iso_week", date=date.isoformat()) == text
    assert answer("weekday", date=text) == date.strftime("%A")
    now = dt.datetime(2026, 11, 29, 12, tzinfo=dt.UTC)
    for written in (text, text.replace("-", "")):
        assert parse(written, dt.UTC, now) == date


@many
@given(st.integers(1, 9999))
def test_a_week_that_the_year_has_not_is_no_date(year: int) -> None:
    weeks = dt.date(year, 12, 28).isocalendar().week
    assert answer("valid", date=f"{year:04d}-W{weeks}-1") is True
    assert answer("valid", date=f"{year:04d}-W{weeks + 1}-1") is False
    assert answer("valid", date=f"{year:04d}-W00-1") is False
