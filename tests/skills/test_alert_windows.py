from datetime import timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from skills.alerts.windows import find_windows
from tests.skills.audit import NOW

SPAN = timedelta(minutes=10)
MINUTE = timedelta(minutes=1)
offsets = st.lists(st.integers(0, 7200), max_size=60)


def minutes_of(*minutes: float, denials: int = 3, quiet_until: float | None = None) -> list[float]:
    """The minute of each window's last denial."""
    found = find_windows(
        [NOW + minute * MINUTE for minute in minutes],
        denials=denials,
        span=SPAN,
        quiet_until=None if quiet_until is None else NOW + quiet_until * MINUTE,
    )
    return [(window.last_at - NOW) / MINUTE for window in found]


def test_it_takes_as_many_as_the_rule_says() -> None:
    assert minutes_of(0, 1) == []
    assert minutes_of(0, 1, 2) == [2]
    assert minutes_of(5, denials=1) == [5]


def test_they_have_to_lie_within_the_span() -> None:
    assert minutes_of(0, 5, 10) == []
    assert minutes_of(0, 5, 9.9) == [9.9]
    assert minutes_of(0, 5, 11, 14) == [14]


def test_it_is_quiet_for_a_span_and_counts_anew_after_it() -> None:
    assert minutes_of(0, 1, 2, 3, 4, 5, 6, 7, 8) == [2]
    assert minutes_of(0, 1, 2, 3, 11, 12, 13) == [2]
    assert minutes_of(0, 1, 2, 12, 13, 14) == [2, 14]


def test_it_is_quiet_after_what_was_told_before() -> None:
    assert minutes_of(0, 1, 2, quiet_until=1) == []
    assert minutes_of(0, 1, 2, 3, quiet_until=1) == [3]


@given(offsets, st.integers(1, 8))
def test_no_window_is_too_long_too_small_or_too_near_to_another(
    seconds: list[int], denials: int
) -> None:
    times = [NOW + timedelta(seconds=second) for second in seconds]
    found = find_windows(times, denials=denials, span=SPAN)
    for window in found:
        inside = [time for time in times if window.first_at <= time <= window.last_at]
        assert len(inside) >= window.denials >= denials
        assert window.last_at - window.first_at < SPAN
    ends = [window.last_at for window in found]
    assert all(later - earlier >= SPAN for earlier, later in pairwise(ends))


@given(offsets, st.integers(1, 8))
def test_who_is_refused_often_enough_is_always_told_about(seconds: list[int], denials: int) -> None:
    """Somewhere `denials` within a span: a window ends by then, at most a span before."""
    times = sorted(NOW + timedelta(seconds=second) for second in seconds)
    found = find_windows(times, denials=denials, span=SPAN)
    for first, last in zip(times, times[denials - 1 :], strict=False):
        if last - first < SPAN:
            assert any(last - 2 * SPAN < window.last_at <= last for window in found)


@given(offsets, st.integers(1, 8), st.integers(0, 60))
def test_it_finds_the_same_in_two_parts(seconds: list[int], denials: int, cut: int) -> None:
    """As evaluation does it: with the last of before, and quiet after the last window."""
    times = sorted(NOW + timedelta(seconds=second) for second in seconds)
    whole = find_windows(times, denials=denials, span=SPAN)
    first = find_windows(times[:cut], denials=denials, span=SPAN)
    quiet = first[-1].last_at + SPAN if first else None
    lookback = times[max(cut - denials + 1, 0) : cut] if denials > 1 else []
    second = find_windows([*lookback, *times[cut:]], denials=denials, span=SPAN, quiet_until=quiet)
    assert [window.last_at for window in [*first, *second]] == [one.last_at for one in whole]
