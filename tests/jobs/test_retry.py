"""After how long a failed job is tried again: a pure decision."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.retry import LONGEST_SECONDS, MOST_JITTER, GiveUp, RetryIn, decide_retry

MINUTES = [5, 10, 20, 40, 60, 60, 60]
attempts_made = st.integers(min_value=0, max_value=100_000)
jitters = st.floats(min_value=0, max_value=1)


def wait(attempts: int, *, base_seconds: float = 300, jitter: float = 0) -> float:
    decision = decide_retry(attempts, 1_000_000, base_seconds=base_seconds, jitter=jitter)
    assert isinstance(decision, RetryIn)
    return decision.seconds


@pytest.mark.parametrize(("attempts", "minutes"), [*enumerate(MINUTES, 1)])
def test_the_wait_doubles_from_five_minutes_up_to_an_hour(attempts: int, minutes: int) -> None:
    assert wait(attempts) == minutes * 60


@pytest.mark.parametrize(
    ("attempts", "jitter", "seconds"),
    [(1, 0.5, 315), (1, 1, 330), (4, 0.25, 2460), (4, 1, 2640), (5, 1, 3600), (99, 1, 3600)],
)
def test_jitter_adds_up_to_a_tenth_and_never_lifts_a_wait_above_an_hour(
    attempts: int, jitter: float, seconds: float
) -> None:
    assert wait(attempts, jitter=jitter) == pytest.approx(seconds)


def test_a_job_that_never_started_waits_like_after_its_first_start() -> None:
    assert wait(0) == wait(1)


@pytest.mark.parametrize(
    ("attempts", "most", "permanent", "gives_up"),
    [
        (0, 3, False, False),
        (1, 3, False, False),
        (2, 3, False, False),
        (3, 3, False, True),
        (4, 3, False, True),
        (1, 1, False, True),
        (0, 3, True, True),
        (1, 3, True, True),
        (3, 3, True, True),
    ],
)
def test_it_gives_up_after_the_last_attempt_or_for_good(
    attempts: int, most: int, permanent: bool, gives_up: bool
) -> None:
    decision = decide_retry(attempts, most, base_seconds=300, jitter=0, permanent=permanent)
    assert isinstance(decision, GiveUp) == gives_up


@given(attempts_made, jitters)
def test_a_wait_is_never_longer_than_an_hour(attempts: int, jitter: float) -> None:
    assert 300 <= wait(attempts, jitter=jitter) <= LONGEST_SECONDS == 3600


@given(attempts_made, jitters)
def test_jitter_never_shortens_and_adds_a_tenth_at_most(attempts: int, jitter: float) -> None:
    plain = wait(attempts)
    assert plain <= wait(attempts, jitter=jitter) <= plain * (1 + MOST_JITTER) * (1 + 1e-9)
    assert MOST_JITTER == 0.1


@given(st.integers(1, 2000), jitters, st.floats(min_value=0.001, max_value=100_000))
def test_a_wait_is_never_shorter_than_the_one_before(
    attempts: int, jitter: float, base: float
) -> None:
    waits = [wait(n, base_seconds=base, jitter=jitter) for n in range(attempts, attempts + 4)]
    assert all(earlier <= later for earlier, later in pairwise(waits))


@given(st.integers(1, 50), st.integers(1, 50), jitters)
def test_a_job_ends_after_as_many_attempts_as_it_may_have(
    attempts: int, most: int, jitter: float
) -> None:
    decision = decide_retry(attempts, most, base_seconds=300, jitter=jitter)
    assert isinstance(decision, GiveUp) == (attempts >= most)
