"""SQLite's connections are handed from thread to thread, and never with anything left in them."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from config.base.sqlite import base
from config.base.sqlite.base import DatabaseWrapper

pytestmark = pytest.mark.django_db  # else no connection at all may be opened


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(base, "_kept", [])
    yield
    base._close_kept()


@pytest.fixture
def wrapper(tmp_path: Path) -> DatabaseWrapper:
    return opened(tmp_path)


def opened(home: Path) -> DatabaseWrapper:
    settings: dict[str, Any] = {
        "ENGINE": "config.base.sqlite",
        "NAME": str(home / "x.sqlite3"),
        "OPTIONS": {},
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": False,
        "AUTOCOMMIT": True,
        "ATOMIC_REQUESTS": False,
        "TIME_ZONE": None,
        "TEST": {},
    }
    made = DatabaseWrapper(settings)
    with made.cursor() as cursor:
        cursor.execute("CREATE TABLE IF NOT EXISTS things (name TEXT UNIQUE)")
    return made


def test_what_one_closes_the_next_one_goes_on_with(
    wrapper: DatabaseWrapper, tmp_path: Path
) -> None:
    first = wrapper.connection
    wrapper.close()
    second = opened(tmp_path)
    assert second.connection is first
    third = opened(tmp_path)
    assert third.connection is not first  # it is in use
    second.close()
    third.close()


def test_one_in_the_middle_of_a_transaction_is_not_kept(
    wrapper: DatabaseWrapper, tmp_path: Path
) -> None:
    wrapper.set_autocommit(False)
    with wrapper.cursor() as cursor:
        cursor.execute("INSERT INTO things VALUES ('half')")
    wrapper.close()
    other = opened(tmp_path)
    with other.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM things").fetchone() == (0,)
    other.close()


def test_another_file_at_the_same_path_is_opened_anew(
    wrapper: DatabaseWrapper, tmp_path: Path
) -> None:
    with wrapper.cursor() as cursor:
        cursor.execute("INSERT INTO things VALUES ('old')")
    wrapper.close()
    (tmp_path / "x.sqlite3").rename(tmp_path / "away.sqlite3")
    other = opened(tmp_path)
    with other.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM things").fetchone() == (0,)
    other.close()


def test_no_more_are_kept_than_are_of_use(tmp_path: Path) -> None:
    many = [opened(tmp_path) for _ in range(base._MOST_KEPT + 2)]
    for one in many:
        one.close()
    assert len(base._kept) == base._MOST_KEPT


def test_a_select_that_nobody_read_to_its_end_holds_nothing(
    wrapper: DatabaseWrapper, tmp_path: Path
) -> None:
    """What is still open would show the next thread old data, and bar it from writing."""
    wrapper.cursor().execute("PRAGMA journal_mode = wal")
    for name in "abc":
        wrapper.cursor().execute("INSERT INTO things VALUES (%s)", [name])
    left = wrapper.cursor()
    left.execute("SELECT name FROM things")
    assert left.fetchone() == ("a",)
    wrapper.close()
    second, other = opened(tmp_path), opened(tmp_path)
    other.cursor().execute("INSERT INTO things VALUES ('d')")
    with second.cursor() as cursor:
        assert cursor.execute("SELECT count(*) FROM things").fetchone() == (4,)
        cursor.execute("INSERT INTO things VALUES ('e')")
    second.close()
    other.close()


def test_a_cursor_that_outlived_its_connection_is_no_matter(
    wrapper: DatabaseWrapper, tmp_path: Path
) -> None:
    """Somebody still has it, in a traceback, say; the connection went on and was closed since."""
    stale = wrapper.cursor()
    wrapper.close()
    other = opened(tmp_path)
    other.errors_occurred = True
    other.close()  # for good
    wrapper.cursor().execute("SELECT 1")
    wrapper.close()
    assert stale is not None


def test_a_child_inherits_none(wrapper: DatabaseWrapper, tmp_path: Path) -> None:
    """SQLite would believe in locks there that only the parent has."""
    wrapper.close()
    pid = os.fork()
    if pid == 0:
        os._exit(len(base._kept) + len(descriptors_of(tmp_path / "x.sqlite3")))
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def descriptors_of(path: Path) -> list[int]:
    """Open ones of this process."""
    return [fd for fd in range(3, 256) if same_file(fd, path)]


def same_file(fd: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), path.stat())
    except OSError:
        return False
