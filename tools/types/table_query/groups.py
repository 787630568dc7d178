"""One row for each group of rows, with what its aggregates give."""

from collections.abc import Callable
from decimal import Context, Decimal, Inexact

from django.utils.translation import gettext as _

from tools.errors import fail
from tools.types.table_query.cells import EXACT, NUMBER, Cell, key_of
from tools.types.table_query.limits import MAX_DIGITS, MAX_STEPS, SHOWN_DIGITS
from tools.types.table_query.schemas import Aggregate, Group
from tools.types.table_query.table import Row, Table, check_names

type Compute = Callable[[list[Row]], Cell]


def _sum(numbers: list[Decimal]) -> Decimal:
    total = Decimal(0)
    for number in numbers:
        total = EXACT.add(total, number)
    return total


def _quotient(total: Decimal, count: int) -> Decimal:
    """Exact where that is short, otherwise rounded to what is shown."""
    try:
        return Context(prec=MAX_DIGITS, traps=[Inexact]).divide(total, Decimal(count))
    except Inexact:
        return Context(prec=SHOWN_DIGITS).divide(total, Decimal(count))


def _mean(numbers: list[Decimal]) -> Decimal | None:
    return _quotient(_sum(numbers), len(numbers)) if numbers else None


def _median(numbers: list[Decimal]) -> Decimal | None:
    if not numbers:
        return None
    ordered = sorted(numbers)
    low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    return low if low == high else _quotient(EXACT.add(low, high), 2)


_OF_NUMBERS: dict[str, Callable[[list[Decimal]], Decimal | None]] = {
    "sum": _sum,
    "mean": _mean,
    "median": _median,
}
_OF_ORDERED: dict[str, Callable[..., Cell]] = {"min": min, "max": max}
FUNCTIONS = ("count", *_OF_NUMBERS, *_OF_ORDERED, "distinct")


def grouped(table: Table, group: Group) -> Table:
    """In the order in which the groups appear. Raises `ToolFailure`: column, operator, type."""
    _check_size(group)
    by = [table.index(name) for name in group.by]
    computes = [_compute(aggregate, table) for aggregate in group.aggregates]
    names = [*group.by, *(_name(aggregate) for aggregate in group.aggregates)]
    check_names(names, "column")
    rows: dict[tuple[object, ...], list[Row]] = {} if by else {(): []}
    for row in table.rows:
        rows.setdefault(tuple(key_of(row[index]) for index in by), []).append(row)
    return Table(
        names,
        [
            [*(members[0][index] for index in by), *(compute(members) for compute in computes)]
            for members in rows.values()
        ],
    )


def _check_size(group: Group) -> None:
    if max(len(group.by), len(group.aggregates)) > MAX_STEPS:
        fail("limit", _("At most %(max)d columns and aggregates.") % {"max": MAX_STEPS})


def _name(aggregate: Aggregate) -> str:
    if aggregate.as_:
        return aggregate.as_
    return f"{aggregate.function}_{aggregate.column}" if aggregate.column else aggregate.function


def _compute(aggregate: Aggregate, table: Table) -> Compute:
    name = aggregate.function
    if name not in FUNCTIONS:
        fail(
            "operator",
            _("%(name)s is no aggregate; there are: %(known)s.")
            % {"name": repr(name[:40]), "known": ", ".join(FUNCTIONS)},
        )
    if aggregate.column is None:
        if name != "count":
            fail("column", _("%(name)s needs a column.") % {"name": name})
        return lambda rows: Decimal(len(rows))
    index = table.index(aggregate.column)
    compute = _of_column(name, table, index)
    return lambda rows: compute([row[index] for row in rows if row[index] is not None])


def _of_column(name: str, table: Table, index: int) -> Callable[[list[Cell]], Cell]:
    if name == "count":
        return lambda cells: Decimal(len(cells))
    if name == "distinct":
        return lambda cells: Decimal(len({key_of(cell) for cell in cells}))
    kind = table.only_kind(index)
    if name in _OF_ORDERED:
        ordered = _OF_ORDERED[name]
        return lambda cells: ordered(cells, default=None)
    if kind not in (NUMBER, None):
        fail(
            "type",
            _("%(function)s needs numbers and the column %(name)s holds %(kind)s: %(cell)s.")
            % {
                "function": name,
                "name": table.columns[index],
                "kind": kind,
                "cell": repr(_first(table, index))[:50],
            },
        )
    compute = _OF_NUMBERS[name]
    return lambda cells: compute([cell for cell in cells if isinstance(cell, Decimal)])


def _first(table: Table, index: int) -> Cell:
    return next(row[index] for row in table.rows if row[index] is not None)
