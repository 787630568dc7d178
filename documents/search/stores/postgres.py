"""PostgreSQL: a GIN index over the words of the entries, as they are."""

from collections.abc import Sequence

from django.db import connection

from documents.models import SearchEntry

_ENTRIES = SearchEntry._meta.db_table
_NAME = "documents_search_words"
_FUNCTION = "documents_search_vector"
_VECTOR = f"{_FUNCTION}(words)"
# `simple` and a parser would only do again what is done: these are digests. Its cost is what a
# function in SQL can't have: long texts lie outside the table, which the planner takes for small,
# and would read and sort from end to end for each word.
_MAKE_FUNCTION = f"""
CREATE OR REPLACE FUNCTION {_FUNCTION}(words text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 10000
AS $$ BEGIN RETURN pg_catalog.array_to_tsvector(pg_catalog.string_to_array(words, ' ')); END $$
"""


def find_postings(words: Sequence[str]) -> dict[str, list[int]]:
    one = f"SELECT %s::text, id FROM {_ENTRIES} WHERE {_VECTOR} @@ %s::tsquery"  # noqa: S608
    values = [value for word in words for value in (word, f"'{word}'")]
    found: dict[str, list[int]] = {word: [] for word in words}
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join([one] * len(words)), values)
        for word, entry_id in cursor.fetchall():
            found[word].append(entry_id)
    return found


def ensure_index() -> None:
    with connection.cursor() as cursor:
        cursor.execute(_MAKE_FUNCTION)
        cursor.execute(f"CREATE INDEX IF NOT EXISTS {_NAME} ON {_ENTRIES} USING gin ({_VECTOR})")


def is_sound() -> bool:
    """It is there and whole: the database itself keeps it in step."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", [_NAME]
        )
        return bool(cursor.fetchall() == [(True,)])


def rebuild_index() -> None:
    ensure_index()
    with connection.cursor() as cursor:
        cursor.execute(f"REINDEX INDEX {_NAME}")
