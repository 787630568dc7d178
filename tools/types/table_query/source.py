"""The table that a call brings with it."""

from typing import Any

from django.utils.translation import gettext as _

from tools.errors import fail
from tools.types.table_query.cells import cell_of
from tools.types.table_query.csv_text import read_csv
from tools.types.table_query.schemas import JSONRow, TableQueryConfig, TableQueryInput
from tools.types.table_query.sizes import check_columns, check_rows
from tools.types.table_query.table import Table, check_names


def read_table(given: TableQueryInput, config: TableQueryConfig) -> Table:
    """Raises `ToolFailure`: csv, column, type, limit."""
    if given.csv is not None:
        return read_csv(
            given.csv,
            config,
            delimiter=given.delimiter,
            columns=given.columns,
            text_columns=given.text_columns,
        )
    rows = given.rows or []
    check_rows(len(rows), 1, config)
    if given.columns is not None:
        return _of_lists(given.columns, rows, config)
    return _of_objects(rows, config)


def _of_objects(rows: list[JSONRow], config: TableQueryConfig) -> Table:
    """A key that an object does not have is null there."""
    objects = [row for row in rows if isinstance(row, dict)]
    if len(objects) < len(rows):
        fail("column", _("Rows that are lists need `columns`."))
    names: dict[str, None] = {}
    for row in objects:
        names.update(dict.fromkeys(row))
        check_columns(len(names), config)
    lists: list[list[Any]] = [[row.get(name) for name in names] for row in objects]
    return _table(list(names), lists, config)


def _of_lists(columns: list[str], rows: list[JSONRow], config: TableQueryConfig) -> Table:
    check_columns(len(columns), config)
    check_names(columns, "column")
    lists = [row for row in rows if isinstance(row, list)]
    if len(lists) < len(rows):
        fail("column", _("`columns` is for rows that are lists; objects name their own."))
    for number, row in enumerate(lists, 1):
        if len(row) != len(columns):
            fail(
                "column",
                _("Row %(row)d has %(cells)d cells and there are %(columns)d columns.")
                % {"row": number, "cells": len(row), "columns": len(columns)},
            )
    return _table(columns, lists, config)


def _table(columns: list[str], lists: list[list[Any]], config: TableQueryConfig) -> Table:
    check_rows(len(lists), len(columns), config)
    for name in columns:
        if len(name) > config.max_cell_chars:
            fail("limit", _("The name of a column is too long."))
    limit = config.max_cell_chars
    return Table(columns, [[cell_of(value, limit) for value in row] for row in lists])
