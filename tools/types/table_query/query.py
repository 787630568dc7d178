"""The steps of a query, in their order: filter, group, sort, select, offset and limit."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tools.errors import fail
from tools.types.table_query.cells import json_of
from tools.types.table_query.conditions import matching
from tools.types.table_query.groups import grouped
from tools.types.table_query.limits import MAX_STEPS
from tools.types.table_query.schemas import SortKey, TableQueryConfig, TableQueryInput
from tools.types.table_query.source import read_table
from tools.types.table_query.table import Row, Table, check_names


@dataclass(frozen=True, slots=True)
class Answer:
    columns: list[str]
    rows: list[list[Any]]
    total_rows: int  # that were given
    matched_rows: int  # that met the filter
    result_rows: int  # before offset and limit
    truncated: bool  # rows follow after these
    types: dict[str, str]  # of the columns that were given


def run(given: TableQueryInput, config: TableQueryConfig) -> Answer:
    """Raises `ToolFailure`: csv, column, operator, type, limit."""
    limit = _limit(given, config)
    source = read_table(given, config)
    matched = matching(source, given.filter) if given.filter else source
    result = grouped(matched, given.group) if given.group else matched
    if given.sort:
        result = _ordered(result, given.sort)
    if given.select is not None:
        result = _selected(result, given.select)
    shown = result.rows[given.offset : given.offset + limit]
    return Answer(
        columns=result.columns,
        rows=[[json_of(cell) for cell in row] for row in shown],
        total_rows=len(source.rows),
        matched_rows=len(matched.rows),
        result_rows=len(result.rows),
        truncated=given.offset + limit < len(result.rows),
        types=source.kind_names(),
    )


def _limit(given: TableQueryInput, config: TableQueryConfig) -> int:
    if given.limit is None:
        return config.max_result_rows
    if given.limit > config.max_result_rows:
        most = config.max_result_rows
        text = ngettext(
            "At most %(max)d row in an answer.", "At most %(max)d rows in an answer.", most
        )
        fail("limit", text % {"max": most})
    return given.limit


def _ordered(table: Table, keys: list[SortKey]) -> Table:
    """By the last key first: each sort keeps the order of what is equal."""
    if len(keys) > MAX_STEPS:
        fail("limit", _("At most %(max)d sort keys.") % {"max": MAX_STEPS})
    rows = table.rows
    for key in reversed(keys):
        index = table.index(key.column)
        table.only_kind(index)
        rows = _by_column(rows, index, descending=key.descending)
    return Table(table.columns, rows)


def _by_column(rows: list[Row], index: int, *, descending: bool) -> list[Row]:
    def cell(row: Row) -> Any:
        return row[index]

    present = [row for row in rows if row[index] is not None]
    absent = [row for row in rows if row[index] is None]
    return sorted(present, key=cell, reverse=descending) + absent


def _selected(table: Table, names: list[str]) -> Table:
    if len(names) > len(table.columns):
        fail("column", _("More columns are selected than there are."))
    check_names(names, "column")
    indexes = [table.index(name) for name in names]
    return Table(names, [[row[index] for index in indexes] for row in table.rows])
