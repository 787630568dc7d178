"""Inserting a row where it happens on every call: the statement is written once for each model.

Django compiles it anew each time, which costs more than the insert itself. No signals are sent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import (
    BooleanField,
    CharField,
    Field,
    Model,
    PositiveIntegerField,
    PositiveSmallIntegerField,
    TextField,
)

type Column = Field[Any, Any]
type Values = Mapping[str, Any]

_AS_IT_IS = {
    *((CharField, str), (TextField, str), (BooleanField, bool)),
    *((PositiveIntegerField, int), (PositiveSmallIntegerField, int)),
}


@dataclass(frozen=True, slots=True)
class Insertion:
    """One row that is yet to be written: `INSERT … SELECT`, to which a `FROM` may be added.

    `ending`: what follows that, for a row that may be there.
    """

    sql: str
    values: list[Any]
    ending: str = ""

    def write(self) -> None:
        with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
            cursor.execute(f"{self.sql} {self.ending}", self.values)


def insert(rows: Sequence[Model], *, replacing: tuple[str, ...] = ()) -> None:
    """Rows of one model, in the caller's transaction. An expression is no value here.

    `replacing`: the fields that take the new values where a row with the same key is there.
    """
    model = type(rows[0])
    insert_values(model, [values_of(row) for row in rows], replacing=replacing)
    for row in rows:
        note_inserted(row)


def insert_values(
    model: type[Model], rows: Sequence[Values], *, replacing: tuple[str, ...] = ()
) -> None:
    """The same of values by their fields' attribute names, all of them: where even the making of
    an instance counts."""
    values = [value for row in rows for value in _stored(columns_of(model), row)]
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(_statement(model, len(rows), replacing), values)


def note_inserted(row: Model) -> None:
    row._state.adding = False
    row._state.db = DEFAULT_DB_ALIAS


def insertion(
    model: type[Model],
    row: Values,
    *,
    replacing: tuple[str, ...] = (),
    taking: tuple[tuple[str, str], ...] = (),
) -> Insertion:
    """The same of one row, for whoever writes it together with something else.

    `taking`: fields, each with the SQL of what it takes from the `FROM`.
    """
    # SQLite would take `ON` for that of a join, were there no `WHERE`.
    ending = f"WHERE true {_replacing(model, replacing)}" if replacing else ""
    given = [column for column in columns_of(model) if column.attname not in dict(taking)]
    return Insertion(_selection(model, taking), _stored(given, row), ending)


def values_of(row: Model) -> Values:
    """Of an instance that is to be inserted."""
    return {column.attname: column.pre_save(row, True) for column in columns_of(type(row))}


def _stored(columns: Sequence[Column], row: Values) -> list[Any]:
    database = connections[DEFAULT_DB_ALIAS]
    return [stored(column, row[column.attname], database) for column in columns]


def stored(column: Column, value: Any, database: BaseDatabaseWrapper | None = None) -> Any:
    """As the database takes it; quicker than Django's own way for what needs no change."""
    if value is None or (type(column), type(value)) in _AS_IT_IS:
        return value
    return column.get_db_prep_save(value, database or connections[DEFAULT_DB_ALIAS])


@cache
def columns_of(model: type[Model]) -> tuple[Column, ...]:
    """All but a key that the database counts: that is left to it."""
    return tuple(column for column in model._meta.concrete_fields if not column.db_returning)


@cache
def _statement(model: type[Model], count: int, replacing: tuple[str, ...]) -> str:
    rows = ", ".join([f"({_marks(model)})"] * count)
    statement = f"INSERT INTO {_target(model)} VALUES {rows}"  # noqa: S608 (names of ours)
    return f"{statement} {_replacing(model, replacing)}" if replacing else statement


@cache
def _replacing(model: type[Model], names: tuple[str, ...]) -> str:
    key = _quote(str(model._meta.pk.column))
    news = ", ".join(f"{_quote(name)} = excluded.{_quote(name)}" for name in names)
    return f"ON CONFLICT ({key}) DO UPDATE SET {news}"


@cache
def _selection(model: type[Model], taking: tuple[tuple[str, str], ...]) -> str:
    taken = dict(taking)
    terms = ", ".join(taken.get(column.attname, "%s") for column in columns_of(model))
    return f"INSERT INTO {_target(model)} SELECT {terms}"


def _target(model: type[Model]) -> str:
    names = ", ".join(_quote(str(column.column)) for column in columns_of(model))
    return f"{_quote(model._meta.db_table)} ({names})"


def _marks(model: type[Model]) -> str:
    return ", ".join(["%s"] * len(columns_of(model)))


def _quote(name: str) -> str:
    return connections[DEFAULT_DB_ALIAS].ops.quote_name(name)
