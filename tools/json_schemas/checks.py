"""Checking a value against a JSON schema that somebody else wrote. Known on both sides of the
killable child: no Django.

Nothing is fetched for such a schema, and no pattern in it runs long. But its references can make
a validator look at one value more often than anybody can wait: a schema of a few lines that refers
twice to one that refers twice to another, and so on. `takes_long` tells them.
"""

from math import inf
from typing import Any

import jsonschema_rs

from tools.json_schemas.pointers import value_behind

_PATTERNS = jsonschema_rs.RegexOptions(size_limit=1_000_000, dfa_size_limit=1_000_000)
_QUICK = 1_000_000  # looks of a validator: a twentieth of a second
MOST_ERRORS = 20
LONGEST_MESSAGE = 200

type Checked = list[tuple[list[str | int], str]]  # where, and what is wrong there


def validator_of(schema: dict[str, Any]) -> Any:
    """Raises `ValueError` for what is no schema, also where it refers to something outside."""
    try:
        return jsonschema_rs.validator_for(schema, offline=True, pattern_options=_PATTERNS)
    except jsonschema_rs.ReferencingError as error:
        raise ValueError(str(error)) from error


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


def takes_long(weight: float, value: Any) -> bool:
    """Whether a check could: each part of the schema is looked at for each part of the value."""
    return weight * _size(value) > _QUICK


def weight_of(schema: dict[str, Any]) -> float:
    """Its parts, each counted as often as it is referred to; without end where it refers to
    itself."""
    try:
        return _Weights(schema).of(schema)
    except RecursionError:
        return inf


def _size(value: Any) -> int:
    if isinstance(value, dict):
        value = list(value.values())
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
            self._known[id(part)] = 1 + sum(self.of(one) for one in self._below(part))
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
