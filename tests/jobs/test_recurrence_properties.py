"""What holds for every cron expression in every zone, at every moment."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise, takewhile

from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.errors import InvalidRecurrence
from jobs.recurrence import (
    check_recurrence,
    is_closer_than,
    iter_slots,
    list_slots,
    look_ahead,
    next_slot,
)

ZONES = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Shanghai",
    "Asia/Kathmandu",
    "Africa/Cairo",
    "Africa/Casablanca",
    "America/Santiago",
]
# Around changes of the clocks, and anywhere else.
CHANGES = ["2027-03-14", "2027-03-28", "2027-04-04", "2027-10-03", "2027-10-31", "2027-11-07"]


def field(lowest: int, highest: int) -> st.SearchStrategy[str]:
    one = st.integers(lowest, highest).map(str)
    return st.one_of(
        st.just("*"),
        one,
        st.integers(2, 30).map(lambda step: f"*/{step}"),
        st.lists(one, min_size=2, max_size=3).map(",".join),
    )


CRONS = st.tuples(field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 6)).map(" ".join)
MOMENTS = st.one_of(
    st.builds(
        lambda day, minutes: (
            datetime.fromisoformat(day).replace(tzinfo=UTC) + timedelta(minutes=minutes)
        ),
        st.sampled_from(CHANGES),
        st.integers(-36 * 60, 36 * 60),
    ),
    st.datetimes(datetime(2026, 1, 1), datetime(2035, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001 (hypothesis adds the zone)
)
around = settings(max_examples=150, deadline=None)


@around
@given(CRONS, st.sampled_from(ZONES), MOMENTS)
def test_slots_grow_and_each_is_the_next_of_the_one_before(
    cron: str, zone: str, after: datetime
) -> None:
    slots = [slot.at for slot in list_slots(cron, zone, after, 5)]
    previous = after
    for slot in slots:
        assert previous < slot == next_slot(cron, zone, previous)
        previous = slot


@around
@given(CRONS, st.sampled_from(ZONES), MOMENTS, st.integers(0, 5 * 24 * 60))
def test_no_slot_is_lost_between_those_missed_and_the_next(
    cron: str, zone: str, after: datetime, minutes: int
) -> None:
    now = after + timedelta(minutes=minutes)
    outlook = look_ahead(cron, zone, after, now)
    assert outlook.upcoming > now
    if outlook.missed is None:
        assert next_slot(cron, zone, after) == outlook.upcoming
        return
    assert outlook.missed.first == next_slot(cron, zone, after)
    assert outlook.missed.last <= now
    if not outlook.missed.is_more:
        counted = list_slots(cron, zone, after, outlook.missed.count + 1)
        assert [counted[-2].at, counted[-1].at] == [outlook.missed.last, outlook.upcoming]


@around
@given(CRONS, st.sampled_from(ZONES), MOMENTS)
def test_every_slot_fits_its_expression_or_says_why_not(
    cron: str, zone: str, after: datetime
) -> None:
    minutes, hours = (
        allowed(part, most) for part, most in zip(cron.split(), (60, 24), strict=False)
    )
    for slot in list_slots(cron, zone, after, 5):
        # Not compared as they are: a local time that comes twice equals none of another zone.
        assert slot.local.astimezone(UTC) == slot.at
        if slot.note != "gap":
            assert slot.local.minute in minutes
            assert slot.local.hour in hours
        assert bool(slot.explain()) == bool(slot.note)


def allowed(part: str, most: int) -> set[int]:
    if part.startswith("*"):
        return set(range(0, most, int(part[2:] or 1)))
    return {int(number) for number in part.split(",")}


@around
@given(st.text("0123456789*/,-#LW AMONSU?²", max_size=30), MOMENTS)
def test_nonsense_is_refused_and_nothing_worse(cron: str, after: datetime) -> None:
    try:
        normal = check_recurrence(cron, "Europe/Berlin", after)
    except InvalidRecurrence:
        return
    assert check_recurrence(normal, "Europe/Berlin", after) == normal


QUARTER = timedelta(minutes=15)
# Times near to each other, some of them only over midnight.
TIMES = st.tuples(field(0, 59), st.one_of(field(0, 23), st.sampled_from(["0,23", "22-23", "9-10"])))
# Those that follow each other in every year: none is by the end of February.
NTH = st.one_of(
    st.just("*"),
    st.lists(st.integers(1, 27).map(str), min_size=1, max_size=3).map(",".join),
)
DAYS = st.tuples(NTH, field(0, 6))


def brings_two_close(cron: str, after: datetime) -> bool:
    """Slot by slot, for a year."""
    until = after + timedelta(days=366)
    slots = takewhile(lambda slot: slot.at < until, iter_slots(cron, "UTC", after))
    return any(two.at - one.at < QUARTER for one, two in pairwise(slots))


@settings(max_examples=60, deadline=None)
@given(TIMES, DAYS, MOMENTS)
def test_whether_two_are_close_is_told_as_looking_at_each_for_a_year_tells(
    times: tuple[str, str], days: tuple[str, str], after: datetime
) -> None:
    cron = f"{times[0]} {times[1]} {days[0]} * {days[1]}"
    assert is_closer_than(QUARTER, cron, after) is brings_two_close(cron, after)
