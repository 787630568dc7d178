"""When a series is due, by table; above all where the clocks change."""

from datetime import UTC, datetime, timedelta

import pytest

from jobs.errors import InvalidRecurrence
from jobs.recurrence import (
    LATE,
    MAX_CRON_LENGTH,
    MOST_MISSED,
    check_recurrence,
    is_closer_than,
    is_too_late,
    list_slots,
    look_ahead,
    next_slot,
)

BERLIN, NEW_YORK = "Europe/Berlin", "America/New_York"
LORD_HOWE = "Australia/Lord_Howe"  # its clocks change by half an hour
DAILY = "30 2 * * *"


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def shown(cron: str, zone: str, after: str, count: int) -> list[str]:
    """Local time, its distance from UTC, and the note."""
    slots = list_slots(cron, zone, utc(after), count)
    return [f"{slot.local:%m-%d %H:%M%z} {slot.note}".strip() for slot in slots]


@pytest.mark.parametrize(
    ("cron", "zone", "after", "expected"),
    [
        (
            DAILY,
            BERLIN,
            "2027-03-27T00:00",
            ["03-27 02:30+0100", "03-28 03:00+0200 gap", "03-29 02:30+0200"],
        ),
        (
            DAILY,
            BERLIN,
            "2027-10-30T00:00",
            ["10-30 02:30+0200", "10-31 02:30+0200 fold", "11-01 02:30+0100"],
        ),
        (
            DAILY,
            NEW_YORK,
            "2027-03-13T00:00",
            ["03-13 02:30-0500", "03-14 03:00-0400 gap", "03-15 02:30-0400"],
        ),
        # There the hour that exists twice is the one from 1 to 2.
        (
            DAILY,
            NEW_YORK,
            "2027-11-06T00:00",
            ["11-06 02:30-0400", "11-07 02:30-0500", "11-08 02:30-0500"],
        ),
        (
            "30 1 * * *",
            NEW_YORK,
            "2027-11-06T00:00",
            ["11-06 01:30-0400", "11-07 01:30-0400 fold", "11-08 01:30-0500"],
        ),
        # Two times in one gap are one moment, and so is a time right after it.
        (
            "0,30 2,3 * * *",
            BERLIN,
            "2027-03-28T00:00",
            ["03-28 03:00+0200 gap", "03-28 03:30+0200", "03-29 02:00+0200"],
        ),
        (
            "0,30 2 * * *",
            BERLIN,
            "2027-10-30T23:00",
            ["10-31 02:00+0200 fold", "10-31 02:30+0200 fold", "11-01 02:00+0100"],
        ),
        # With a wild card what is due every half hour stays half an hour apart.
        (
            "*/30 * * * *",
            BERLIN,
            "2027-03-28T00:00",
            ["03-28 01:30+0100", "03-28 03:00+0200", "03-28 03:30+0200"],
        ),
        (
            "*/30 * * * *",
            BERLIN,
            "2027-10-31T00:00",
            ["10-31 02:30+0200", "10-31 02:00+0100", "10-31 02:30+0100", "10-31 03:00+0100"],
        ),
        # … and a time in the gap is none: it is not said when exactly, only how often.
        (
            "30 */2 * * *",
            BERLIN,
            "2027-03-27T23:00",
            ["03-28 00:30+0100", "03-28 04:30+0200"],
        ),
        (
            "15 2 * * *",
            LORD_HOWE,
            "2027-10-02T12:00",
            ["10-03 02:30+1100 gap", "10-04 02:15+1100"],
        ),
        (
            "45 1 * * *",
            LORD_HOWE,
            "2027-04-03T12:00",
            ["04-04 01:45+1100 fold", "04-05 01:45+1030"],
        ),
        (
            "0 */2 * * *",
            LORD_HOWE,
            "2027-04-03T12:30",
            ["04-04 00:00+1100", "04-04 02:00+1030", "04-04 04:00+1030"],
        ),
        (
            DAILY,
            "Asia/Shanghai",
            "2027-03-27T00:00",
            ["03-28 02:30+0800", "03-29 02:30+0800"],
        ),
        # Midnight itself does not exist there on that day.
        ("0 0 * * *", "Africa/Cairo", "2027-04-29T00:00", ["04-30 01:00+0300 gap"]),
        ("0 9 31 * *", "UTC", "2027-01-31T09:00", ["03-31 09:00+0000", "05-31 09:00+0000"]),
        ("0 9 L * *", "UTC", "2027-01-31T09:00", ["02-28 09:00+0000", "03-31 09:00+0000"]),
        ("0 9 * * MON-FRI", "UTC", "2027-01-01T10:00", ["01-04 09:00+0000", "01-05 09:00+0000"]),
    ],
)
def test_it_is_due_when_the_table_says(
    cron: str, zone: str, after: str, expected: list[str]
) -> None:
    assert shown(cron, zone, after, len(expected)) == expected


def test_a_leap_day_comes_every_four_years() -> None:
    slots = list_slots("0 9 29 2 *", "Asia/Shanghai", utc("2027-01-01"), 3)
    assert [slot.at for slot in slots] == [
        utc("2028-02-29T01:00"),
        utc("2032-02-29T01:00"),
        utc("2036-02-29T01:00"),
    ]


def test_the_notes_can_be_read_by_people() -> None:
    gap, fold = (
        list_slots(DAILY, BERLIN, utc(day), 1)[0].explain() for day in ("2027-03-28", "2027-10-31")
    )
    assert gap == "Europe/Berlin has no 02:30 on March 28, 2027: it runs at 03:00."
    assert fold == "Europe/Berlin has 02:30 twice on Oct. 31, 2027: it runs once, the first time."
    assert list_slots(DAILY, "UTC", utc("2027-10-31"), 1)[0].explain() == ""


def test_the_second_time_of_a_fold_is_followed_by_the_next_day() -> None:
    assert next_slot(DAILY, BERLIN, utc("2027-10-31T01:15")) == utc("2027-11-01T01:30")


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ("2027-01-01T09:00:00", "2027-01-02T09:00"),
        ("2027-01-01T08:59:59.999999", "2027-01-01T09:00"),
        ("2027-01-01T09:00:00.000001", "2027-01-02T09:00"),
    ],
)
def test_the_next_is_later_by_however_little(after: str, expected: str) -> None:
    assert next_slot("0 9 * * *", "UTC", utc(after)) == utc(expected)


@pytest.mark.parametrize(
    ("cron", "zone", "said"),
    [
        ("", "UTC", "five fields"),
        ("@daily", "UTC", "five fields"),
        ("0 9 * *", "UTC", "five fields"),
        ("0 0 9 * * *", "UTC", "five fields"),
        ("0 9 * * " + "1," * MAX_CRON_LENGTH, "UTC", "five fields"),
        ("61 9 * * *", "UTC", "Bad minute"),
        ("0 9 * * MOO", "UTC", "Bad day-of-week"),
        ("0 9 * * 1-", "UTC", "Bad day-of-week"),
        ("*/0 9 * * *", "UTC", "Bad minute"),
        ("٣ 9 * * *", "UTC", "Bad minute"),
        ("0 9 30 2 *", "UTC", "Bad day-of-month"),
        ("0 9 31 2,4 *", BERLIN, "Bad day-of-month"),
        ("0 9 * * *", "", "no IANA time zone"),
        ("0 9 * * *", "CET+1", "no IANA time zone"),
        ("0 9 * * *", "localtime", "no IANA time zone"),
        ("0 9 * * *", "Factory", "no IANA time zone"),
        ("0 9 * * *", "../../etc/passwd", "no IANA time zone"),
    ],
)
def test_what_can_not_be_planned_is_refused_with_a_reason(cron: str, zone: str, said: str) -> None:
    with pytest.raises(InvalidRecurrence, match=said):
        check_recurrence(cron, zone, utc("2027-01-01"))


@pytest.mark.parametrize("zone", ["UTC", BERLIN])
@pytest.mark.parametrize("cron", ["0 9 */30,31 2 MON#5", "* * */30 2 SUN#5"])
def test_what_fits_no_day_of_fifty_years_is_refused(cron: str, zone: str) -> None:
    """February has no 31st, and its first is no fifth Monday."""
    with pytest.raises(InvalidRecurrence, match="No day within 50 years"):
        check_recurrence(cron, zone, utc("2027-01-01"))


def test_spaces_do_not_matter() -> None:
    assert check_recurrence("  0\t9  * * * ", "UTC", utc("2027-01-01")) == "0 9 * * *"


# --- Looking ahead, from a slot that waited ---


@pytest.mark.parametrize(
    ("now", "first", "last", "count", "upcoming"),
    [
        ("2027-01-01T08:00", None, None, 0, "2027-01-02T09:00"),  # it was hurried
        ("2027-01-01T09:00", None, None, 0, "2027-01-02T09:00"),
        ("2027-01-02T08:59:59", None, None, 0, "2027-01-02T09:00"),
        ("2027-01-02T09:00", "2027-01-02T09:00", "2027-01-02T09:00", 1, "2027-01-03T09:00"),
        ("2027-01-04T12:00", "2027-01-02T09:00", "2027-01-04T09:00", 3, "2027-01-05T09:00"),
    ],
)
def test_what_has_passed_since_was_missed(
    now: str, first: str | None, last: str | None, count: int, upcoming: str
) -> None:
    outlook = look_ahead("0 9 * * *", "UTC", utc("2027-01-01T09:00"), utc(now))
    assert outlook.upcoming == utc(upcoming)
    missed = outlook.missed
    assert (missed.count if missed else 0) == count
    if missed and first and last:
        assert (missed.first, missed.last, missed.is_more) == (utc(first), utc(last), False)


@pytest.mark.parametrize("itself", [False, True])
@pytest.mark.parametrize(("passed", "is_more"), [(MOST_MISSED, False), (MOST_MISSED + 1, True)])
def test_counting_stops_somewhere(passed: int, is_more: bool, itself: bool) -> None:
    slot = utc("2027-01-01T00:00")
    now = slot + timedelta(minutes=passed - itself)
    outlook = look_ahead("* * * * *", "UTC", slot, now, itself=itself)
    assert outlook.missed
    assert (outlook.missed.count, outlook.missed.is_more) == (MOST_MISSED, is_more)
    assert outlook.missed.first == slot + timedelta(minutes=not itself)
    assert outlook.upcoming == now + timedelta(minutes=1)


@pytest.mark.parametrize(
    ("cron", "late", "is_late"),
    [
        ("0 9 * * *", timedelta(), False),
        ("0 9 * * *", LATE, False),
        ("0 9 * * *", LATE + timedelta(seconds=1), True),
        ("*/5 * * * *", timedelta(minutes=4, seconds=59), False),
        ("*/5 * * * *", timedelta(minutes=5), True),
        ("0 9 * * *", -timedelta(hours=1), False),  # it was hurried
    ],
)
def test_it_is_too_late_after_minutes_or_when_the_next_has_come(
    cron: str, late: timedelta, is_late: bool
) -> None:
    slot = utc("2027-01-01T09:00")
    assert is_too_late(cron, "UTC", slot, slot + late) is is_late


@pytest.mark.parametrize(
    ("cron", "is_closer"),
    [
        ("* * * * *", True),
        ("*/14 * * * *", True),
        ("*/15 * * * *", False),
        ("0,14 9 * * *", True),
        ("0,15 9 * * *", False),
        ("50 9 * * *", False),
        ("0,50 9,10 * * *", True),  # 9:50 and 10:00
        ("0,55 0,23 * * *", True),  # 23:55 and 0:00
        ("0,55 0,23 * * 1,3", False),
        ("0,55 0,23 * * 5,6", True),  # from Friday to Saturday, whatever day it is
        ("0,1 9 29 2 *", True),
        ("0,50 9-10 1 * *", True),  # also where the first day is half over
        ("0,55 0,23 1,L * *", True),  # from the last of a month to the first of the next
        ("0,55 0,23 29,1 2,3 *", True),  # in a leap year
        ("0,55 0,23 28,1 2,3 *", True),  # in any other
        ("0,55 0,23 30,1 1,3 *", False),
        ("0,55 0,23 1,15 * *", False),
        ("30 2 * * *", False),
        ("15,30 1,2,3 * * *", False),
    ],
)
@pytest.mark.parametrize("after", ["2026-12-05T12:00", "2027-03-01T10:30", "2028-02-29T23:57"])
def test_slots_that_are_closer_than_a_quarter_of_an_hour(
    cron: str, after: str, is_closer: bool
) -> None:
    assert is_closer_than(timedelta(minutes=15), cron, utc(after)) is is_closer
