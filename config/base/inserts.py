"""Inserting a row where it happens on every call: the statement is written once for each model.

Django compiles it anew each time, which costs more than the insert itself. No signals are sent.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import Field, Model

type Column = Field[Any, Any]


def insert(rows: Sequence[Model], *, replacing: tuple[str, ...] = ()) -> None:
    """Rows of one model, in the caller's transaction. An expression is no value here.

    `replacing`: the fields that take the new values where a row with the same key is there.
    """
    columns, statement = _statement(type(rows[0]), len(rows), replacing)
    values = [_stored(row, column) for row in rows for column in columns]
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
    for row in rows:
        row._state.adding = False
        row._state.db = connection.alias


def _stored(row: Model, column: Column) -> Any:
    return column.get_db_prep_save(column.pre_save(row, True), connection)


@cache
def _statement(
    model: type[Model], count: int, replacing: tuple[str, ...]
) -> tuple[list[Column], str]:
    """A key that the database counts is left to it."""
    columns = [column for column in model._meta.concrete_fields if not column.db_returning]
    quote = connection.ops.quote_name
    names = ", ".join(quote(str(column.column)) for column in columns)
    row = f"({', '.join(['%s'] * len(columns))})"
    rows = ", ".join([row] * count)
    table = quote(model._meta.db_table)
    statement = f"INSERT INTO {table} ({names}) VALUES {rows}"  # noqa: S608 (names of ours)
    if replacing:
        key = quote(str(model._meta.pk.column))
        news = ", ".join(f"{quote(name)} = excluded.{quote(name)}" for name in replacing)
        statement += f" ON CONFLICT ({key}) DO UPDATE SET {news}"
    return columns, statement
