"""PostgreSQL: a GIN index over the words of the entries, as they are."""

from collections.abc import Sequence

from django.db import connection

from documents.models import SearchEntry

_ENTRIES = SearchEntry._meta.db_table
_NAME = "documents_search_words"
# `simple` and a parser would only do again what is done: these are digests.
_VECTOR = "array_to_tsvector(string_to_array(words, ' '))"


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
        cursor.execute(f"CREATE INDEX IF NOT EXISTS {_NAME} ON {_ENTRIES} USING gin ({_VECTOR})")


def rebuild_index() -> None:
    ensure_index()
    with connection.cursor() as cursor:
        cursor.execute(f"REINDEX INDEX {_NAME}")
