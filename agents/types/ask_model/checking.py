"""Whether an answer is JSON that fits its schema. Runs in the killable child: no Django here.

A model gave the schema, and one of a few lines can take a validator hours.
"""

import json
import re
from itertools import islice
from typing import Any

import jsonschema_rs

from tools.bounded.failures import Refused

_PATTERNS = jsonschema_rs.RegexOptions(size_limit=1_000_000, dfa_size_limit=1_000_000)
_FENCED = re.compile(r"\A\s*```[a-zA-Z]*\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)
_MOST_ERRORS = 10
_LONGEST_ERROR = 200


def check_schema(schema: dict[str, Any]) -> None:
    """Raises `Refused`: schema_unusable."""
    _validator(schema)


def check_answer(schema: dict[str, Any], text: str) -> dict[str, Any]:
    """`{"value"}`, or `{"errors"}` in English, for the model that has to mend it."""
    try:
        value = parse_answer(text)
    except (ValueError, RecursionError):
        return {"errors": ["It is not one JSON value."]}
    errors = [_told(error) for error in islice(_errors(schema, value), _MOST_ERRORS)]
    return {"errors": errors} if errors else {"value": value}


def parse_answer(text: str) -> Any:
    """Models like to put their JSON into a block of code. Raises `ValueError`."""
    fenced = _FENCED.match(text)
    return json.loads(fenced[1] if fenced else text, parse_constant=_no_constant)


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _errors(schema: dict[str, Any], value: Any) -> Any:
    return _validator(schema).iter_errors(value)


def _validator(schema: dict[str, Any]) -> Any:
    try:
        return jsonschema_rs.validator_for(schema, offline=True, pattern_options=_PATTERNS)
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        raise Refused("schema_unusable", str(error)) from error


def _told(error: Any) -> str:
    place = "/".join(str(part) for part in error.instance_path)
    message = error.message[:_LONGEST_ERROR]
    return f"{place}: {message}" if place else message
