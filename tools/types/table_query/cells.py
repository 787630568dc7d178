"""What a cell can hold, and what it is called: null, true or false, a number, a text."""

import math
import re
from decimal import Context, Decimal
from typing import Any

from django.utils.translation import gettext as _

from tools.errors import fail
from tools.types.table_query.limits import MAX_DIGITS

type Cell = bool | Decimal | str | None

NUMBER, TEXT, BOOLEAN = "number", "text", "boolean"
# Numbers are within 1e±400: this holds every sum of them without a rounding.
EXACT = Context(prec=1_500)
KINDS: dict[type, str] = {Decimal: NUMBER, str: TEXT, bool: BOOLEAN}
_WRITTEN_NUMBER = re.compile(
    r"-?(?:0|[1-9][0-9]{0,39})(?:\.[0-9]{1,40})?(?:[eE][+-]?[0-9]{1,2})?", re.ASCII
)


def kind_of(cell: Cell) -> str:
    return KINDS[type(cell)]


def cell_of(value: Any, max_chars: int) -> Cell:
    """A JSON value as a cell. Raises `ToolFailure`: type for a list or object, limit."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return checked_text(value, max_chars)
    if isinstance(value, int):
        if value.bit_length() > MAX_DIGITS * 3:
            fail("limit", _("A number has at most %(max)d digits.") % {"max": MAX_DIGITS})
        return Decimal(value)
    if not isinstance(value, float) or not math.isfinite(value):
        fail("type", _("A cell holds text, a number, true, false or null; no list and no object."))
    return Decimal(repr(value))


def checked_text(text: str, max_chars: int) -> str:
    if len(text) > max_chars:
        fail("limit", _("A cell has at most %(max)d characters.") % {"max": max_chars})
    return text


def is_written_number(text: str) -> bool:
    """No leading zeros: 007 is a name. No separators: 1,234 is read differently here and there."""
    return _WRITTEN_NUMBER.fullmatch(text) is not None


def json_of(cell: Cell) -> Any:
    """Numbers as JSON numbers where those hold them exactly, as text where they do not."""
    if not isinstance(cell, Decimal):
        return cell
    if cell == cell.to_integral_value(context=EXACT) and cell.adjusted() < MAX_DIGITS:
        return int(cell)
    close = float(cell)
    return close if math.isfinite(close) and Decimal(repr(close)) == cell else str(cell)


def key_of(cell: Cell) -> tuple[type, Cell]:
    """For sets and groups: true is not 1, but 1.0 is."""
    return type(cell), cell
