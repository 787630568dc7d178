"""Reading JSON schemas, ours and those of others: nothing in one makes it take long."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from tools.json_schemas.pointers import value_behind
from tools.schemas import JSON

_MAX_STEPS = 10
_MAX_DEPTH = 5
_MAX_PARTS_DEPTH = 2
_MAX_PARTS = 64  # together: a form reads hundreds of such schemas
_MAX_ALTERNATIVES = 16
# Of the property, not of its alternatives; these have their own.
_OWN = {"anyOf", "oneOf", "title", "description", "default", "discriminator", "nullable"}


def resolved(schema: Any, root: JSON) -> JSON:
    """Past local references, with what stands beside them; one that leads nowhere, or round in a
    circle, says nothing."""
    for _step in range(_MAX_STEPS):
        if not isinstance(schema, dict):
            return {}
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return schema
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**_found(root, reference), **beside}
    return {}


def _found(root: JSON, reference: str) -> JSON:
    try:
        return as_object(value_behind(root, reference))
    except LookupError:
        return {}


def alternatives(schema: Any, root: JSON) -> list[JSON]:
    """What a value may be, one schema for each; null is `{"type": "null"}`.

    `[{}]`, which is anything, for more of them than a form could show.
    """
    found = list(islice(_alternatives(schema, root, 0), _MAX_ALTERNATIVES + 1))
    return found if len(found) <= _MAX_ALTERNATIVES else [{}]


def _alternatives(schema: Any, root: JSON, depth: int) -> Iterator[JSON]:
    schema = _whole(resolved(schema, root), root)
    options = schema.get("anyOf") or schema.get("oneOf")
    if depth > _MAX_DEPTH:
        yield {}
    elif isinstance(options, list):
        beside = {key: value for key, value in schema.items() if key not in _OWN}
        for option in options:
            for one in _alternatives(option, root, depth + 1):
                yield joined([one, beside])
    else:
        yield from _of_types(schema)
    if schema.get("nullable") is True:
        yield {"type": "null"}


def type_of(schema: JSON) -> str:
    """Of one alternative; "" where it does not say."""
    if "type" in schema:
        return str(schema["type"])
    if "properties" in schema:
        return "object"
    return "array" if "items" in schema else ""


def as_object(value: Any) -> JSON:
    """Of what somebody else wrote: nothing where it is none."""
    return value if isinstance(value, dict) else {}


def _of_types(schema: JSON) -> Iterable[JSON]:
    types = schema.get("type")
    if isinstance(types, list):
        return [one for name in types for one in _of_types({**schema, "type": name})]
    values = schema.get("enum")
    if "const" in schema and schema["const"] is None:
        return [{"type": "null"}]
    if isinstance(values, list) and None in values:
        others = [value for value in values if value is not None]
        return [*([{**schema, "enum": others}] if others else []), {"type": "null"}]
    return [schema]


def _whole(schema: JSON, root: JSON) -> JSON:
    """With all that it is made of (`allOf`); of too many parts nobody knows what it is."""
    if not isinstance(schema.get("allOf"), list):
        return schema
    parts = list(islice(_parts(schema, root, 0), _MAX_PARTS + 1))
    return joined(parts) if len(parts) <= _MAX_PARTS else {}


def _parts(schema: JSON, root: JSON, depth: int) -> Iterator[JSON]:
    parts = schema.get("allOf")
    if not isinstance(parts, list) or depth > _MAX_PARTS_DEPTH:
        yield schema
        return
    for part in parts:
        yield from _parts(resolved(part, root), root, depth + 1)
    yield {key: value for key, value in schema.items() if key != "allOf"}


def joined(parts: Iterable[JSON]) -> JSON:
    """One schema of several that hold together; what stands later counts."""
    result: JSON = {}
    for part in parts:
        properties = {**as_object(result.get("properties")), **as_object(part.get("properties"))}
        required = [*_names(result.get("required")), *_names(part.get("required"))]
        result = {**result, **part}
        if properties:
            result["properties"] = properties
        if required:
            result["required"] = list(dict.fromkeys(required))
    return result


def _names(value: Any) -> list[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []
