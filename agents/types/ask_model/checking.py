"""Whether an answer is JSON that fits its schema. Runs in the killable child: no Django here.

A model gave the schema, and one of a few lines can take a validator hours.
"""

import json
import re
from typing import Any

from tools.bounded.failures import Refused
from tools.json_schemas.checks import first_errors, validator_of

_FENCED = re.compile(r"\A\s*```[a-zA-Z]*\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)


def check_schema(schema: dict[str, Any]) -> None:
    """Raises `Refused`: schema_unusable."""
    _validator(schema)


def check_answer(schema: dict[str, Any], text: str) -> dict[str, Any]:
    """`{"value"}`, or `{"errors"}` in English, for the model that has to mend it."""
    try:
        value = parse_answer(text)
    except (ValueError, RecursionError):
        return {"errors": ["It is not one JSON value."]}
    errors = [_told(*error) for error in first_errors(_validator(schema), value)]
    return {"errors": errors} if errors else {"value": value}


def parse_answer(text: str) -> Any:
    """Models like to put their JSON into a block of code. Raises `ValueError`."""
    fenced = _FENCED.match(text)
    return json.loads(fenced[1] if fenced else text, parse_constant=_no_constant)


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _validator(schema: dict[str, Any]) -> Any:
    try:
        return validator_of(schema)
    except ValueError as error:
        raise Refused("schema_unusable", str(error)) from error


def _told(place: list[str | int], message: str) -> str:
    where = "/".join(map(str, place))
    return f"{where}: {message}" if where else message
