"""What becomes of a job whose attempt failed: a pure decision."""

from dataclasses import dataclass

LONGEST_SECONDS = 3600.0
MOST_DOUBLINGS = 60  # without a bound, thousands of attempts overflow a float
MOST_JITTER = 0.1


@dataclass(frozen=True, slots=True)
class RetryIn:
    seconds: float


@dataclass(frozen=True, slots=True)
class GiveUp:
    pass


def decide_retry(
    attempts: int, max_attempts: int, *, base_seconds: float, jitter: float, permanent: bool = False
) -> RetryIn | GiveUp:
    """After `attempts` starts, the last of which failed (seed 4, "失败退避").

    The wait doubles from `base_seconds` (5 minutes: 5, 10, 20, 40, 60 …) and is never longer than
    an hour. `jitter`, from 0 to 1, spreads what failed together over up to a tenth more.
    """
    if permanent or attempts >= max_attempts:
        return GiveUp()
    wait = base_seconds * 2 ** min(max(attempts - 1, 0), MOST_DOUBLINGS)
    return RetryIn(min(wait * (1 + MOST_JITTER * jitter), LONGEST_SECONDS))
