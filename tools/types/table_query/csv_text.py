"""A table from CSV text: RFC 4180, with other separators and line ends."""

import csv
import io
import itertools
from collections.abc import Iterator
from decimal import Decimal

from django.utils.translation import gettext as _

from tools.errors import fail
from tools.types.table_query.cells import Cell, checked_text, is_written_number
from tools.types.table_query.limits import MAX_CSV_CHARS
from tools.types.table_query.schemas import TableQueryConfig
from tools.types.table_query.sizes import check_columns, check_rows
from tools.types.table_query.table import Table, check_names

SEPARATORS = ",;\t|"
_TRIED_LINES = 20
_TRIED_CHARS = 20_000
_NAMES = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}

type Texts = list[list[str]]


def read_csv(
    text: str,
    config: TableQueryConfig,
    *,
    delimiter: str | None = None,
    columns: list[str] | None = None,
    text_columns: list[str] | None = None,
) -> Table:
    """Without `columns` the first line names them. Raises `ToolFailure`: csv, column, limit."""
    if len(text) > MAX_CSV_CHARS:
        fail("limit", _("CSV has at most %(max)d characters.") % {"max": MAX_CSV_CHARS})
    plain = text.removeprefix("\ufeff")
    separator = _separator(plain) if delimiter is None else _named(delimiter)
    lines = _lines(plain, separator)
    names = columns if columns is not None else _header(lines)
    check_columns(len(names), config)
    check_names(names, "csv")
    texts = _checked(lines, len(names), config)
    return _typed(names, texts, text_columns or [])


def _named(delimiter: str) -> str:
    separator = _NAMES.get(delimiter.lower(), delimiter)
    if len(separator) != 1 or separator in '"\r\n':
        fail("csv", _("A delimiter is one character, such as , or ; or tab."))
    return separator


def _separator(text: str) -> str:
    """The one that cuts each of the first lines into as many cells, else the first into most."""
    return max(SEPARATORS, key=lambda separator: _fitness(text, separator))


def _fitness(text: str, separator: str) -> tuple[bool, int]:
    reader = csv.reader(io.StringIO(text[:_TRIED_CHARS], newline=""), delimiter=separator)
    try:
        widths = [len(line) for line in itertools.islice(reader, _TRIED_LINES) if line]
    except csv.Error:
        return False, 0
    if len(text) > _TRIED_CHARS and len(widths) > 1:
        widths.pop()  # it may have been cut
    first = widths[0] if widths else 0
    return first > 1 and set(widths) == {first}, first


def _lines(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """With the line's number; empty lines are passed over."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        for line in reader:
            if line:
                yield reader.line_num, line
    except csv.Error as error:
        if "field limit" in str(error):
            fail("limit", _("A cell is too long."))
        fail(
            "csv",
            _("Line %(line)d is not CSV: %(problem)s.")
            % {"line": reader.line_num, "problem": error},
        )


def _header(lines: Iterator[tuple[int, list[str]]]) -> list[str]:
    _number, header = next(lines, (0, []))
    if not header:
        fail("csv", _("There is no line in it."))
    return [name.strip() or f"column_{place}" for place, name in enumerate(header, 1)]


def _checked(lines: Iterator[tuple[int, list[str]]], width: int, config: TableQueryConfig) -> Texts:
    texts: Texts = []
    for number, line in lines:
        if len(line) != width:
            fail(
                "csv",
                _("Line %(line)d has %(cells)d cells and there are %(columns)d columns.")
                % {"line": number, "cells": len(line), "columns": width},
            )
        texts.append([checked_text(text, config.max_cell_chars) for text in line])
        check_rows(len(texts), width, config)
    return texts


def _typed(names: list[str], texts: Texts, text_columns: list[str]) -> Table:
    """A column is of numbers when each of its cells is written like one; nothing is null."""
    table = Table(names, [[text or None for text in line] for line in texts])
    kept = {table.index(name) for name in set(text_columns)}
    for index in range(len(names)):
        if index not in kept and all(is_written_number(line[index] or "0") for line in texts):
            for row in table.rows:
                row[index] = _number(row[index])
    return table


def _number(cell: Cell) -> Decimal | None:
    return None if cell is None else Decimal(str(cell))
