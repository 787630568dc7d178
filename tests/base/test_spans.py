"""Spans of time on the operator's pages: short, and in the reader's language."""

from datetime import timedelta

import pytest

from config.base.admin_base import short_span


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0.0 s"),
        (0.44, "0.4 s"),
        (9.94, "9.9 s"),
        (17.2, "17 s"),
        (119, "119 s"),
        (120, "2 min"),
        (7_199, "120 min"),
        (7_200, "2 h"),
        (172_799, "48 h"),
        (172_800, "2 d"),
        (864_000, "10 d"),
    ],
)
def test_a_span_is_told_in_the_largest_unit_that_says_something(seconds: float, words: str) -> None:
    assert short_span(timedelta(seconds=seconds)) == words
