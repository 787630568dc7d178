"""Changing a row where it happens on every call: the statement is written once for each shape.

Django's own UPDATE is composed anew each time and returns nothing of what it wrote. What belongs
to the change is inserted with it, if it happens: on PostgreSQL by the same statement, which spares
ways there and back.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from django.db import connection
from django.db.models import Field, Model

from config.base.clock import later_sql, now_sql
from config.base.inserts import Insertion, stored

type Shape = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Later:
    """So many seconds after the database's now."""

    seconds: float


NOW = Later(0)
NEXT = object()  # the column's value and one
LAPSED = object()  # as a condition: the time has come, by the database's clock


def change_row(
    model: type[Model],
    values: Mapping[str, Any],
    where: Mapping[str, Any],
    *,
    returning: tuple[str, ...] = ("id",),
    adding: Sequence[Insertion] = (),
) -> tuple[Any, ...] | None:
    """What it returned; None where no row is as asked for, and then nothing is added.

    A value may be `NOW`, `Later` or `NEXT`, one to look for a tuple of values or `LAPSED`. Names
    are those of fields, or of their columns.
    """
    statement = _statement(connection.vendor, model, _shape(values), _shape(where), returning)
    parameters = [
        term for item in (*values.items(), *where.items()) for term in _terms(model, *item)
    ]
    return fetch_with(statement, parameters, adding)


def fetch_with(
    statement: str, values: list[Any], adding: Sequence[Insertion] = ()
) -> tuple[Any, ...] | None:
    """The one row of a change that says what it did, and with it the insertions, in their order."""
    if adding and connection.vendor == "postgresql":
        together = _together(statement, *((row.sql, row.ending) for row in adding))
        return _fetch(together, [*values, *(value for row in adding for value in row.values)])
    found = _fetch(statement, values)
    if found is not None:
        for row in adding:
            row.write()
    return found


def _fetch(statement: str, values: list[Any]) -> tuple[Any, ...] | None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cast("tuple[Any, ...] | None", cursor.fetchone())


@cache
def _together(change: str, *insertions: tuple[str, str]) -> str:
    """Each insertion reads from the one before it: that alone settles their order."""
    parts, source = [f"changed AS ({change})"], "changed"
    for number, (sql, ending) in enumerate(insertions):
        parts.append(f"added{number} AS ({sql} FROM {source} {ending} RETURNING 1)")
        source = f"added{number}"
    return f"WITH {', '.join(parts)} SELECT * FROM changed"  # noqa: S608 (statements of ours)


@cache
def column(model: type[Model], name: str) -> "Field[Any, Any]":
    return cast("Field[Any, Any]", model._meta.get_field(name))


def _shape(values: Mapping[str, Any]) -> Shape:
    return tuple((name, _kind(value)) for name, value in values.items())


def _kind(value: Any) -> str:
    if isinstance(value, Later):
        return "now" if value is NOW else "later"
    if isinstance(value, tuple):
        return f"any of {len(value)}"
    if value is NEXT:
        return "next"
    return "lapsed" if value is LAPSED else "value"


def _terms(model: type[Model], name: str, value: Any) -> list[Any]:
    if value is NOW or value is NEXT or value is LAPSED:
        return []
    if isinstance(value, Later):
        return [value.seconds]
    field = column(model, name)
    if isinstance(value, tuple):
        return [stored(field, each) for each in value]
    return [stored(field, value)]


@cache
def _statement(
    _vendor: str, model: type[Model], values: Shape, where: Shape, returning: tuple[str, ...]
) -> str:
    sets = ", ".join(f"{_name(model, name)} = {_new(model, name, kind)}" for name, kind in values)
    conditions = " AND ".join(f"{_name(model, name)} {_asked(kind)}" for name, kind in where)
    returned = ", ".join(_name(model, name) for name in returning)
    table = connection.ops.quote_name(model._meta.db_table)
    return f"UPDATE {table} SET {sets} WHERE {conditions} RETURNING {returned}"  # noqa: S608 (names of ours)


def _name(model: type[Model], name: str) -> str:
    return connection.ops.quote_name(str(column(model, name).column))


def _new(model: type[Model], name: str, kind: str) -> str:
    terms = {"now": now_sql(), "later": later_sql(), "next": f"{_name(model, name)} + 1"}
    return terms.get(kind, "%s")


def _asked(kind: str) -> str:
    if kind == "lapsed":
        return f"<= {now_sql()}"
    if kind.startswith("any of "):
        marks = ", ".join(["%s"] * int(kind.removeprefix("any of ")))
        return f"IN ({marks})"
    return "= %s"
