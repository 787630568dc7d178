"""Whether a value can be shown in the fields of a shape, and comes back as it was."""

from collections.abc import Callable
from typing import Any

from tools.admin.schema.shapes import EXACT, LEFT_OUT, Kind, Shape, empty_value, same, value_of
from tools.secrets.refs import is_reference

MAX_ROWS = 50  # more of them nobody edits in fields
_MAX_DEPTH = 6
_MAX_NUMBER = 10**300


def fits(shape: Shape, value: Any, depth: int = 0) -> bool:
    if value is LEFT_OUT or shape.kind in EXACT:
        return True
    if value is None:
        return shape.nullable and empty_value(shape) is None
    if depth > _MAX_DEPTH or not _HOLDS[shape.kind](shape, value, depth):
        return False
    return value not in ("", [], {}) or same(value_of(shape, value), value)


def variant_of(shape: Shape, value: Any, depth: int = 0) -> int | None:
    """Which of its alternatives such a value is: one that has all it needs before one that fits."""
    fit = [n for n, one in enumerate(shape.parts.variants) if fits(one, value, depth + 1)]
    best = [n for n in fit if _has_what_it_needs(shape.parts.variants[n], value)]
    return next(iter(best or fit), None)


def _has_what_it_needs(shape: Shape, value: Any) -> bool:
    if shape.kind is not Kind.OBJECT:
        return True
    return all(part.name in value for part in shape.parts.properties if part.required)


def is_number(value: Any, *types: type) -> bool:
    is_one = isinstance(value, types) and not isinstance(value, bool)
    return is_one and -_MAX_NUMBER < value < _MAX_NUMBER


def _object(shape: Shape, value: Any, depth: int) -> bool:
    if not isinstance(value, dict):
        return False
    parts = {part.name: part for part in shape.parts.properties}
    return value.keys() <= parts.keys() and all(
        fits(parts[key], held, depth + 1) and not _is_other_tag(parts[key], held)
        for key, held in value.items()
    )


def _is_other_tag(shape: Shape, value: Any) -> bool:
    return shape.is_tag and not any(same(value, choice) for choice in shape.choices)


def _list(shape: Shape, value: Any, depth: int) -> bool:
    if not isinstance(value, list) or len(value) > MAX_ROWS:
        return False
    return all(fits(shape.parts.item, item, depth + 1) for item in value)


def _map(shape: Shape, value: Any, depth: int) -> bool:
    if not isinstance(value, dict) or len(value) > MAX_ROWS:
        return False
    return all(
        _is_line(key) and fits(shape.parts.item, held, depth + 1) for key, held in value.items()
    )


def _choices(shape: Shape, value: Any, _depth: int) -> bool:
    """Boxes have one order, and none is ticked twice."""
    if not isinstance(value, list):
        return False
    return same(value, [one for one in shape.choices if any(same(one, held) for held in value)])


def _pairs(_shape: Shape, value: Any, _depth: int) -> bool:
    return isinstance(value, dict) and all(map(_is_pair, value, value.values()))


_HOLDS: dict[Kind, Callable[[Shape, Any, int], bool]] = {
    Kind.FLAG: lambda _shape, value, _depth: isinstance(value, bool),
    Kind.INTEGER: lambda _shape, value, _depth: is_number(value, int),
    Kind.NUMBER: lambda _shape, value, _depth: is_number(value, int, float),
    Kind.TEXT: lambda _shape, value, _depth: isinstance(value, str) and _is_one_line(value),
    Kind.LONG_TEXT: lambda _shape, value, _depth: isinstance(value, str) and "\r" not in value,
    Kind.CHOICE: lambda shape, value, _depth: any(same(value, one) for one in shape.choices),
    Kind.CHOICES: _choices,
    Kind.LINES: lambda _shape, value, _depth: isinstance(value, list) and all(map(_is_line, value)),
    Kind.PAIRS: _pairs,
    Kind.SECRET: lambda _shape, value, _depth: is_reference(value),
    Kind.TEXT_OR_SECRET: lambda _shape, value, _depth: (
        is_reference(value) or (isinstance(value, str) and _is_one_line(value))
    ),
    Kind.OBJECT: _object,
    Kind.LIST: _list,
    Kind.MAP: _map,
    Kind.UNION: lambda shape, value, depth: variant_of(shape, value, depth) is not None,
}


def _is_one_line(text: str) -> bool:
    return len(text.splitlines()) <= 1 and not text.endswith(("\n", "\r"))


def _is_line(item: Any) -> bool:
    return isinstance(item, str) and item == item.strip() != "" and _is_one_line(item)


def _is_pair(key: str, value: Any) -> bool:
    return _is_line(key) and ":" not in key and (value == "" or _is_line(value))
