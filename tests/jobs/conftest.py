"""Kinds of jobs for tests, and the wake-ups that would be sent."""

from collections.abc import Iterator

import pytest

from jobs import q2
from tests.jobs.handlers import Script, scripted


@pytest.fixture
def script() -> Iterator[Script]:
    """With it the kinds of tests are registered; it says what their handler does."""
    with scripted() as script:
        yield script


@pytest.fixture
def ticks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """One entry for each wake-up that was sent; nobody gets them."""
    sent: list[str] = []
    monkeypatch.setattr(q2, "send_tick", lambda: sent.append(q2.TICK))
    return sent
