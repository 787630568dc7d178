"""When a model is asked again: a bounded number of times, within the time of one request."""

import time
from time import monotonic

from agents.model_clients.errors import ModelError
from agents.model_clients.listener import current_listener

_FIRST_PAUSE_SECONDS = 0.5
_LONGEST_PAUSE_SECONDS = 8.0
LONGEST_ASKED_SECONDS = 30.0  # a server that wants more has no time for this request


def nobody_listens() -> bool:
    """Whoever waited for the answer is gone."""
    listener = current_listener.get()
    return listener is not None and listener.has_left


def sleep(seconds: float) -> None:
    listener = current_listener.get()
    if listener is None:
        time.sleep(seconds)
    else:
        listener.wait(seconds)


def pause_before_retry(
    failed: int, retries: int, *, retryable: bool, left: float, asked: float = 0.0
) -> float | None:
    """Seconds to wait after the `failed`-th failure; None: give up.

    `left` is the time left; `asked` what the server wants us to wait (Retry-After).
    """
    if not retryable or failed > retries or asked > LONGEST_ASKED_SECONDS:
        return None
    pause: float = min(_FIRST_PAUSE_SECONDS * 2 ** (failed - 1), _LONGEST_PAUSE_SECONDS)
    pause = max(pause, asked)
    return pause if pause < left else None


class Attempts:
    """The attempts at one request; all of them share its timeout."""

    def __init__(self, retries: int, timeout_seconds: float) -> None:
        self._retries = retries
        self.deadline = monotonic() + timeout_seconds
        self._failed = 0

    @property
    def seconds_left(self) -> float:
        return max(self.deadline - monotonic(), 0.0)

    def wait_after(self, error: ModelError) -> None:
        """Sleep before the next attempt; raises `error` when there is to be none.

        A run that was stopped asks nobody anything more.
        """
        self._failed += 1
        pause = pause_before_retry(
            self._failed,
            self._retries,
            retryable=error.retryable,
            left=self.seconds_left,
            asked=error.retry_after_seconds,
        )
        if pause is None:
            raise error
        sleep(pause)
        if nobody_listens():
            raise error
