"""Django's SQLite, whose connections outlive the threads that use them.

Each request and each run has a thread of its own, and opening a connection costs more than most of
what is then asked of it: functions are registered and pragmas set anew. What a thread closes is
kept for the next one. That one begins as with a new connection: nothing is open in it.
"""

import atexit
import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any
from weakref import WeakSet

from django.db.backends.sqlite3 import base

_MOST_KEPT = 16

type _File = tuple[int, int, int]  # the process too: SQLite forbids to carry one over a fork

_kept: list[tuple[_File, sqlite3.Connection]] = []
_lock = Lock()


class DatabaseWrapper(base.DatabaseWrapper):
    _file: _File | None = None

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._cursors = WeakSet[sqlite3.Cursor]()

    def create_cursor(self, name: str | None = None) -> Any:
        cursor = super().create_cursor(name)
        self._cursors.add(cursor)
        return cursor

    def get_new_connection(self, conn_params: dict[str, Any]) -> sqlite3.Connection:
        kept = _take(_file_of(conn_params["database"]))
        connection = kept or super().get_new_connection(conn_params)
        self._file = _file_of(conn_params["database"])
        return connection

    def _close(self) -> None:
        """One that is in the middle of something, or has met an error, is no use to anybody."""
        for cursor in list(self._cursors):
            with suppress(sqlite3.ProgrammingError):  # of a connection that was closed before
                cursor.close()  # a SELECT not read to its end would hold its view of the data
        self._cursors.clear()
        unclean = self.connection.in_transaction or self.errors_occurred
        if unclean or self._file is None or not _keep(self._file, self.connection):
            super()._close()  # type: ignore[misc]  # private: the stubs leave it out


def _file_of(database: Any) -> _File | None:
    """The file itself: another one can come to stand at the same path. None: it is no file."""
    try:
        found = Path(database).stat()
    except OSError:
        return None
    return os.getpid(), found.st_dev, found.st_ino


def _take(file: _File | None) -> sqlite3.Connection | None:
    with _lock:
        for place, (of, connection) in enumerate(_kept):
            if of == file:
                del _kept[place]
                return connection
    return None


def _keep(file: _File, connection: sqlite3.Connection) -> bool:
    with _lock:
        if len(_kept) >= _MOST_KEPT:
            return False
        _kept.append((file, connection))
        return True


@atexit.register
def _close_kept() -> None:
    """The last one to be closed tidies up its log."""
    with _lock:
        while _kept:
            _kept.pop()[1].close()


# A child would take the locks that its parent has on the file for its own.
os.register_at_fork(before=_close_kept)
