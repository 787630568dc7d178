"""The database's clock, the only one that decides: machines disagree about the time.

For statements that Django can't compose; elsewhere its own `Now()` says the same.
"""

from datetime import UTC, datetime

from django.db import connection
from django.utils.dateparse import parse_datetime

_NOW = {
    "postgresql": "STATEMENT_TIMESTAMP()",
    "sqlite": "STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', 'NOW')",
}
_LATER = {
    "postgresql": "(STATEMENT_TIMESTAMP() + MAKE_INTERVAL(secs => %s))",
    # Text, so that a whole number is not taken for a Julian day.
    "sqlite": "STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', 'NOW', %s || ' seconds')",
}


def now_sql() -> str:
    """The moment of the statement, in the form in which Django stores times."""
    return _NOW[connection.vendor]


def later_sql() -> str:
    """So many seconds after it: takes one parameter."""
    return _LATER[connection.vendor]


def database_now() -> datetime:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {now_sql()}", [])
        (value,) = cursor.fetchone()
    now = as_datetime(value)
    if now is None:
        raise ValueError("the database has no clock")
    return now


def as_datetime(stored: datetime | str | None) -> datetime | None:
    """A time as a statement of ours returns it: SQLite's has no zone, and may be text."""
    value = parse_datetime(stored) if isinstance(stored, str) else stored
    if value is None and stored is not None:
        raise ValueError(f"{stored!r} is no time")
    return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value
