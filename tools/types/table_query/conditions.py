"""Which rows stay. A null meets no condition but is_null."""

import operator
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from tools.errors import fail
from tools.types.table_query.cells import TEXT, Cell, cell_of, key_of, kind_of
from tools.types.table_query.limits import (
    MAX_CELL_CHARS,
    MAX_CHOICES,
    MAX_CONDITION_DEPTH,
    MAX_CONDITIONS,
)
from tools.types.table_query.schemas import Condition
from tools.types.table_query.table import Row, Table

type Test = Callable[[Any, Any], bool]
type Meets = Callable[[Row], bool]

_EQUAL: dict[str, Test] = {"eq": operator.eq, "ne": operator.ne}
_ORDER: dict[str, Test] = {
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
_TEXT: dict[str, Test] = {
    "contains": operator.contains,
    "not_contains": lambda cell, value: value not in cell,
    "starts_with": str.startswith,
    "ends_with": str.endswith,
}
_SIGNS = {
    "=": "eq",
    "==": "eq",
    "!=": "ne",
    "<>": "ne",
    "<": "lt",
    "<=": "le",
    ">": "gt",
    ">=": "ge",
}
OPERATORS = (*_EQUAL, *_ORDER, "in", "not_in", *_TEXT, "is_null", "not_null")


def matching(table: Table, condition: Condition) -> Table:
    """Raises `ToolFailure`: column, operator, type, limit."""
    _check_size(condition)
    meets = _compiled(condition, table)
    return Table(table.columns, [row for row in table.rows if meets(row)])


def _check_size(condition: Condition) -> None:
    level, count = [condition], 0
    for _depth in range(MAX_CONDITION_DEPTH):
        count += len(level)
        level = [inner for outer in level for inner in (*(outer.and_ or ()), *(outer.or_ or ()))]
    if level:
        fail("limit", _("Conditions nest %(max)d deep.") % {"max": MAX_CONDITION_DEPTH})
    if count > MAX_CONDITIONS:
        fail("limit", _("At most %(max)d conditions.") % {"max": MAX_CONDITIONS})


def _compiled(condition: Condition, table: Table) -> Meets:
    if condition.and_ is not None:
        every = [_compiled(inner, table) for inner in condition.and_]
        return lambda row: all(meets(row) for meets in every)
    if condition.or_ is not None:
        some = [_compiled(inner, table) for inner in condition.or_]
        return lambda row: any(meets(row) for meets in some)
    return _comparison(condition, table)


def _comparison(condition: Condition, table: Table) -> Meets:
    index = table.index(condition.column or "")
    name = _SIGNS.get(condition.operator or "", condition.operator or "")
    if name not in OPERATORS:
        fail(
            "operator",
            _("%(name)s is no operator; there are: %(known)s.")
            % {"name": repr(name[:40]), "known": ", ".join(OPERATORS)},
        )
    if name in ("is_null", "not_null"):
        return lambda row: (row[index] is None) is (name == "is_null")
    test = _membership(name, condition, table, index)
    if test is None:
        test = _test_against_one(name, condition, table, index)
    return lambda row: row[index] is not None and test(row[index])


def _membership(
    name: str, condition: Condition, table: Table, index: int
) -> Callable[[Cell], bool] | None:
    if name not in ("in", "not_in"):
        return None
    listed = condition.value
    if not isinstance(listed, list):
        fail("type", _("%(name)s takes a list as its value.") % {"name": name})
    if len(listed) > MAX_CHOICES:
        fail("limit", _("At most %(max)d values in a list.") % {"max": MAX_CHOICES})
    values = [_value(value, table, index) for value in listed]
    fold = _fold(condition)
    choices = {key_of(fold(value)) for value in values}
    return lambda cell: (key_of(fold(cell)) in choices) is (name == "in")


def _test_against_one(
    name: str, condition: Condition, table: Table, index: int
) -> Callable[[Cell], bool]:
    fold = _fold(condition)
    value = fold(_value(condition.value, table, index))
    if name in _TEXT:
        _check_text(name, value, table, index)
        test = _TEXT[name]
        return lambda cell: test(fold(cell), value)
    if name in _ORDER:
        table.only_kind(index)
        test = _ORDER[name]
        return lambda cell: test(fold(cell), value)
    test = _EQUAL[name]
    return lambda cell: test(key_of(fold(cell)), key_of(value))


def _value(given: Any, table: Table, index: int) -> bool | Decimal | str:
    """A value to compare with: of a kind that the column holds."""
    if given is None:
        fail("type", _("Nothing equals null; use is_null or not_null."))
    value = cell_of(given, MAX_CELL_CHARS)
    kinds = table.kinds(index)
    if kinds and kind_of(value) not in kinds:
        fail(
            "type",
            _("The column %(name)s holds %(kinds)s and the value %(value)s is %(kind)s.")
            % {
                "name": table.columns[index],
                "kinds": ", ".join(sorted(kinds)),
                "value": repr(given)[:50],
                "kind": kind_of(value),
            },
        )
    assert value is not None
    return value


def _check_text(name: str, value: Cell, table: Table, index: int) -> None:
    kinds = table.kinds(index)
    if not isinstance(value, str) or kinds - {TEXT}:
        fail("type", _("%(name)s is for columns and values of text.") % {"name": name})


def _fold(condition: Condition) -> Callable[[Cell], Cell]:
    if not condition.ignore_case:
        return lambda cell: cell
    return lambda cell: cell.casefold() if isinstance(cell, str) else cell
