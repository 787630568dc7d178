"""Checking a value against a JSON schema that somebody else wrote. Known on both sides of the
killable child: no Django.

Nothing is fetched for such a schema. But its references can make a validator look at one value
more often than anybody can wait: a schema of a few lines that refers twice to one that refers twice
to another, and so on. So can a pattern of many states over a long text, and to tell thousands of
errors takes longer than to find that there are some. `takes_long` tells what may not be checked in
a process that has anything else to do.

A few letters of a pattern can also be a megabyte to compile (`[\\p{L}\\p{N}]{20}`), and a list of
tools can hold thousands: together they are bounded.
"""

from collections.abc import Iterator
from functools import lru_cache
from math import inf
from typing import Any

import jsonschema_rs

from tools.json_schemas.pointers import value_behind

_PATTERN_BYTES = (5_000, 20_000, 100_000)  # compiled; the last is the most of one
_MOST_PATTERN_BYTES = 500_000  # of one schema
_BYTES_OF_A_STATE = 40
_TEXT_CHARS = 10  # count as one more part of a value
_QUICK = 1_000_000  # looks of a validator: a twentieth of a second
_QUICKLY_TOLD = 5_000  # of one that finds an error with each
MOST_ERRORS = 20
LONGEST_MESSAGE = 200

type Checked = list[tuple[list[str | int], str]]  # where, and what is wrong there


def validator_of(schema: dict[str, Any]) -> Any:
    """Raises `ValueError` for what is no schema, also where it refers to something outside."""
    if sum(map(_bytes_of, _patterns(schema))) > _MOST_PATTERN_BYTES:
        raise ValueError("Its patterns are too large, all together.")
    try:
        return jsonschema_rs.validator_for(
            schema, offline=True, pattern_options=_within(_PATTERN_BYTES[-1])
        )
    except jsonschema_rs.ReferencingError as error:
        raise ValueError(str(error)) from error


def _patterns(part: Any) -> Iterator[str]:
    """All that there are, and perhaps some text that only looks like one."""
    if isinstance(part, list):
        for one in part:
            yield from _patterns(one)
    elif isinstance(part, dict):
        yield from _patterns_of(part)
        for one in part.values():
            yield from _patterns(one)


def _patterns_of(part: dict[str, Any]) -> Iterator[str]:
    pattern, named = part.get("pattern"), part.get("patternProperties")
    if isinstance(pattern, str):
        yield pattern
    if isinstance(named, dict):
        yield from named


@lru_cache(maxsize=4096)
def _bytes_of(pattern: str) -> int:
    """About so many, when it is compiled; of what can't be, the validator says so."""
    for size in _PATTERN_BYTES[:-1]:
        try:
            jsonschema_rs.validator_for({"pattern": pattern}, pattern_options=_within(size))
        except ValueError:
            continue
        return size
    return _PATTERN_BYTES[-1]


def _within(size: int) -> Any:
    return jsonschema_rs.RegexOptions(size_limit=size, dfa_size_limit=_PATTERN_BYTES[-1])


def first_errors(validator: Any, value: Any) -> Checked:
    errors = zip(range(MOST_ERRORS), validator.iter_errors(value), strict=False)
    return [(_place_of(error), cut(error.message)) for _number, error in errors]


def _place_of(error: jsonschema_rs.ValidationError) -> list[str | int]:
    """What is missing is wrong where it should stand."""
    if isinstance(error.kind, jsonschema_rs.ValidationErrorKind.Required):
        return [*error.instance_path, error.kind.property]
    return list(error.instance_path)


def check(schema: dict[str, Any], value: Any) -> Checked:
    """In the child."""
    return first_errors(validator_of(schema), value)


def cut(text: str) -> str:
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:LONGEST_MESSAGE]}…"


def takes_long(weight: float, value: Any, *, to_tell: bool = False) -> bool:
    """Whether a check could: each part of the schema is looked at for each part of the value.

    `to_tell`: what is wrong with it, once something is.
    """
    return weight * _size(value) > (_QUICKLY_TOLD if to_tell else _QUICK)


def weight_of(schema: dict[str, Any]) -> float:
    """Its parts, each counted as often as it is referred to; without end where it refers to
    itself."""
    try:
        return _Weights(schema).of(schema)
    except RecursionError:
        return inf


def _size(value: Any) -> int:
    if isinstance(value, str):
        return 1 + len(value) // _TEXT_CHARS
    if isinstance(value, dict):
        return 1 + sum(map(_size, value)) + sum(map(_size, value.values()))
    return 1 + sum(map(_size, value)) if isinstance(value, list) else 1


class _Weights:
    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root
        self._known: dict[int, float] = {}

    def of(self, part: Any) -> float:
        if isinstance(part, list):
            return sum(map(self.of, part))
        if not isinstance(part, dict):
            return 0
        if id(part) not in self._known:
            self._known[id(part)] = inf  # what leads back to it has no end
            own = sum(_bytes_of(one) // _BYTES_OF_A_STATE for one in _patterns_of(part))
            self._known[id(part)] = (
                1 + own + _choices(part) + sum(self.of(one) for one in self._below(part))
            )
        return self._known[id(part)]

    def _below(self, part: dict[str, Any]) -> list[Any]:
        below = [one for name, one in part.items() if name != "$ref"]
        if "$dynamicRef" in part or "$recursiveRef" in part:
            raise RecursionError
        if "$ref" in part:
            below.append(self._target(part["$ref"]))
        return below

    def _target(self, ref: Any) -> Any:
        """A place by its path; a name could be anywhere, so it counts as without end."""
        if not isinstance(ref, str):
            raise RecursionError
        try:
            return value_behind(self._root, ref)
        except LookupError:
            raise RecursionError from None


def _choices(part: dict[str, Any]) -> int:
    """Each value is compared with, and told of in an error; so is each name that is missing."""
    listed = (part.get("enum"), part.get("required"))
    return sum(len(one) for one in listed if isinstance(one, list))
