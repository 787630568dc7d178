"""Row ids are UUIDv7: their bits say so, and one process never makes one twice or out of order."""

import time
from concurrent.futures import ThreadPoolExecutor
from unittest import mock
from uuid import RFC_4122, UUID

from config.base import ids
from config.base.ids import uuid7


def test_version_and_variant_are_those_of_rfc_9562() -> None:
    for _ in range(200):
        made = uuid7()
        assert made.version == 7
        assert made.variant == RFC_4122


def test_the_first_48_bits_are_the_time_in_milliseconds() -> None:
    before = time.time_ns() // 1_000_000
    made = uuid7()
    after = time.time_ns() // 1_000_000
    assert before <= made.int >> 80 <= after + 1


def test_each_is_greater_than_the_one_before() -> None:
    made = [uuid7() for _ in range(2000)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)


def test_a_clock_that_goes_back_does_not_bring_them_out_of_order() -> None:
    first = uuid7()
    with mock.patch("time.time_ns", return_value=0):
        later = [uuid7() for _ in range(100)]
    assert [first, *later] == sorted([first, *later])
    assert {made.version for made in later} == {7}
    assert uuid7() > later[-1]


def test_the_counter_never_runs_into_the_version_bits() -> None:
    """The last value of one millisecond is followed by the first of the next."""
    last = (1 << 122) - 1 - (1 << 100)
    full = last | ((1 << 74) - 1)
    with (
        mock.patch.object(ids, "_last", full),
        mock.patch("time.time_ns", return_value=0),
    ):
        made = uuid7()
    assert (made.version, made.variant) == (7, RFC_4122)
    assert made.int >> 80 == (full >> 74) + 1


def test_threads_never_get_the_same_one() -> None:
    def make(_: int) -> list[UUID]:
        return [uuid7() for _ in range(500)]

    with ThreadPoolExecutor(8) as pool:
        lots = list(pool.map(make, range(8)))
    assert all(lot == sorted(lot) for lot in lots)
    assert len({made for lot in lots for made in lot}) == 8 * 500
