"""The arguments that a model gives: one for each parameter, and `body`."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tools.json_schemas.described_input import DescribedInput, described_input
from tools.types.http_api.parts import Body, Parameter, Schema

BODY = "body"
_ODD = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST = 60


def arguments_model(schema: Schema) -> type[DescribedInput]:
    """Raises `UnusableSchema`."""
    return described_input(schema)


def argument_names(parameters: Sequence[Parameter], body: Body | None) -> list[str]:
    """One for each parameter, in letters that every model's API takes for a name."""
    taken = {BODY} if body is not None else set()
    names = []
    for parameter in parameters:
        plain = _ODD.sub("_", parameter.name).strip("_")[:_LONGEST] or "value"
        name, number = plain, 1
        while name in taken:
            name = f"{plain}_{parameter.location}" if number == 1 else f"{plain}_{number}"
            number += 1
        taken.add(name)
        names.append(name)
    return names


def arguments_schema(
    parameters: Sequence[Parameter], body: Body | None, definitions: Mapping[str, Schema]
) -> Schema:
    names = argument_names(parameters, body)
    named: list[tuple[str, Parameter | Body]] = list(zip(names, parameters, strict=True))
    if body is not None:
        named.append((BODY, body))
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {name: _described(part) for name, part in named},
        "required": [name for name, part in named if part.required],
        "additionalProperties": False,
    }
    return schema | ({"$defs": dict(definitions)} if definitions else {})


def _described(part: Parameter | Body) -> Schema:
    said = {"description": part.description} if part.description else {}
    return {**part.value_schema, **said}
