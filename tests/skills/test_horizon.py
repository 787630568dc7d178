"""Which events are final on PostgreSQL, without one: the writers are told by a script."""

from types import SimpleNamespace

import pytest

from skills import horizon
from skills.horizon import Horizon


class Database:
    """`writers` gives what each look at the locks finds."""

    def __init__(self) -> None:
        self.last_id = 0
        self.writers: list[set[str]] = []

    def look(self) -> set[str]:
        return self.writers.pop(0) if len(self.writers) > 1 else self.writers[0]


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch) -> Database:
    database = Database()
    monkeypatch.setattr(horizon, "connection", SimpleNamespace(vendor="postgresql"))
    monkeypatch.setattr(horizon, "last_event_id", lambda: database.last_id)
    monkeypatch.setattr(horizon, "_writers", database.look)
    monkeypatch.setattr(horizon, "_STEP_SECONDS", 0)
    return database


def test_without_writers_all_that_is_visible_is_final(database: Database) -> None:
    database.last_id, database.writers = 5, [set()]
    assert Horizon().settle() == 5


def test_it_waits_for_those_who_were_writing(database: Database) -> None:
    database.last_id, database.writers = 5, [{"1/7", "2/3"}, {"2/3"}, set()]
    assert Horizon().settle() == 5


def test_it_does_not_wait_for_those_who_came_later(database: Database) -> None:
    database.last_id, database.writers = 5, [{"1/7"}, {"1/7", "2/4"}, {"2/4"}]
    assert Horizon().settle() == 5


def test_a_long_writer_keeps_it_waiting(database: Database) -> None:
    database.last_id, database.writers = 5, [{"1/7"}]
    assert Horizon().settle(patience_seconds=0) == 0


def test_it_remembers_for_whom_it_waits_so_that_a_relay_of_writers_cannot_starve_it(
    database: Database,
) -> None:
    waiting = Horizon()
    database.last_id, database.writers = 5, [{"1/7"}]
    assert waiting.settle(patience_seconds=0) == 0
    database.last_id, database.writers = 8, [{"1/7", "2/4"}]
    assert waiting.settle(patience_seconds=0) == 0
    database.last_id, database.writers = 9, [{"2/4", "3/1"}]
    assert waiting.settle(patience_seconds=0) == 5  # as of the first look
    database.writers = [set()]
    assert waiting.settle() == 9
