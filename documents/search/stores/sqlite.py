"""SQLite: an FTS5 table over the words of the entries, kept in step by triggers.

It stores no text of its own (external content) and no places of words: what is scored is read from
the entries.
"""

from collections.abc import Sequence

from django.db import DatabaseError, connection

from documents.models import SearchEntry

_ENTRIES = SearchEntry._meta.db_table
_TABLE = "documents_searchwords"
_INTO = f"INSERT INTO {_TABLE}"
_TAKE_OUT = f"{_INTO}({_TABLE}, rowid, words) VALUES ('delete', old.id, old.words);"
_PUT_IN = f"{_INTO}(rowid, words) VALUES (new.id, new.words);"
_REWRITE = f"WHEN old.words IS NOT new.words BEGIN {_TAKE_OUT} {_PUT_IN} END"
_OPTIONS = f"content='{_ENTRIES}', content_rowid='id', tokenize='ascii', detail='none'"
_TRIGGER = f"CREATE TRIGGER IF NOT EXISTS {_TABLE}"

_STATEMENTS = (
    f"CREATE VIRTUAL TABLE IF NOT EXISTS {_TABLE} USING fts5(words, columnsize=0, {_OPTIONS})",
    f"{_TRIGGER}_insert AFTER INSERT ON {_ENTRIES} BEGIN {_PUT_IN} END",
    f"{_TRIGGER}_delete AFTER DELETE ON {_ENTRIES} BEGIN {_TAKE_OUT} END",
    f"{_TRIGGER}_update AFTER UPDATE OF words ON {_ENTRIES} {_REWRITE}",
)


def find_postings(words: Sequence[str]) -> dict[str, list[int]]:
    found = {}
    with connection.cursor() as cursor:
        for word in words:
            sql = f"SELECT rowid FROM {_TABLE} WHERE {_TABLE} MATCH %s"  # noqa: S608
            cursor.execute(sql, [f'"{word}"'])
            found[word] = [row[0] for row in cursor.fetchall()]
    return found


def ensure_index() -> None:
    """A table that Django made anew has lost its triggers, and nobody knows for how long."""
    if not _is_there():
        rebuild_index()


def rebuild_index() -> None:
    with connection.cursor() as cursor:
        for statement in _STATEMENTS:
            cursor.execute(statement)
        cursor.execute(f"{_INTO}({_TABLE}) VALUES ('rebuild')")


def is_sound() -> bool:
    if not _is_there():
        return False
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"{_INTO}({_TABLE}, rank) VALUES ('integrity-check', 1)")
    except DatabaseError:  # "database disk image is malformed": of this one table
        return False
    return True


def _is_there() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM sqlite_master WHERE name = %s"
            " OR type = 'trigger' AND tbl_name = %s",
            [_TABLE, _ENTRIES],
        )
        found: int = cursor.fetchone()[0]
    return found == len(_STATEMENTS)
