"""What can be chosen from: single values, and alternatives that a value of theirs tells apart."""

from collections.abc import Iterator
from typing import Any

from tools.json_schemas.reading import as_object, resolved, type_of
from tools.schemas import JSON

_TAGS = "x-gatehouse-tags"


def choice_values(schema: JSON) -> list[Any]:
    """Those that can be told apart by their text; none where one can't."""
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    if not isinstance(values, list) or not all(isinstance(value, str | int) for value in values):
        return []
    texts = {str(value) for value in values} - {""}
    return values if len(texts) == len(values) else []


def tags_of(schema: JSON) -> list[str]:
    found: list[str] = schema.get(_TAGS, [])
    return found


def named(options: list[JSON], root: JSON) -> Iterator[tuple[str, JSON]]:
    """Each with the name that its tag gives it, and what its tags are: keys by whose values
    objects are told apart."""
    objects = [option for option in options if type_of(option) == "object"]
    values = [_constants(option, root) for option in objects]
    shared = set.intersection(*map(set, values)) if len(objects) > 1 else set()
    tags = sorted(key for key in shared if len({repr(v[key]) for v in values}) == len(values))
    for option in options:
        if option in objects and tags:
            yield _name(values[objects.index(option)], tags), {**option, _TAGS: tags}
        else:
            yield "", option


def _constants(option: JSON, root: JSON) -> dict[str, list[Any]]:
    properties = as_object(option.get("properties")).items()
    found = {name: choice_values(resolved(prop, root)) for name, prop in properties}
    return {name: values for name, values in found.items() if values}


def _name(constants: dict[str, list[Any]], tags: list[str]) -> str:
    return next((str(constants[tag][0]) for tag in tags if len(constants[tag]) == 1), "")
