"""The bounds that a JSON schema declares, and for each a config that is just past it."""

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from tools.schemas import JSON

BOUNDS = {
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("minLength", "maxLength", "pattern", "enum", "minItems", "maxItems"),
    *("minProperties", "maxProperties", "uniqueItems", "required", "additionalProperties"),
}
_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": (list, tuple),
    "string": str,
    "null": type(None),
    "boolean": bool,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Misuse:
    """`place`: what the refusal names; `says`: what its message holds."""

    bound: str  # `parameters[].name maxLength`
    place: str
    says: str
    config: JSON
    at_bound: JSON | None = None  # of numbers: what is just allowed


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A value of a config, and the schema that holds for it.

    `told_at`: where pydantic's words about a choice of several types begin; it goes on with the
    name of the type that it tried.
    """

    schema: JSON
    value: Any
    path: tuple[str | int, ...] = ()
    where: str = ""
    told_at: str = ""

    def below(self, key: str | int, schema: JSON, name: str) -> "Step":
        where = f"{self.where}{name}".lstrip(".")
        return replace(
            self, schema=schema, value=self.value[key], path=(*self.path, key), where=where
        )


@dataclass(frozen=True, slots=True)
class Past:
    value: Any
    says: str
    at: Any = None
    key: str | None = None  # of an object, that is missing or too much


def declared(root: JSON, node: JSON | None = None, where: str = "") -> set[str]:
    """All bounds, by place and keyword, whatever a config holds."""
    node = _resolved(root, root if node is None else node)
    found = {f"{where} {keyword}" for keyword in _bounds_of(node)}
    for child, name in _child_schemas(node):
        found |= declared(root, child, f"{where}{name}".lstrip("."))
    return found


def misuses(root: JSON, config: JSON) -> Iterator[Misuse]:
    """For each bound that this config comes near, one that is past it."""
    for step in _steps(root, Step(schema=root, value=config)):
        for keyword in sorted(_bounds_of(step.schema)):
            for past in _PAST[keyword](step.schema[keyword], step.value):
                path = step.path if past.key is None else (*step.path, past.key)
                yield Misuse(
                    bound=f"{step.where} {keyword}",
                    place=step.told_at or ".".join(map(str, path)),
                    says=past.says,
                    config=_with(config, step.path, past.value),
                    at_bound=None if past.at is None else _with(config, step.path, past.at),
                )


def _steps(root: JSON, step: Step) -> Iterator[Step]:
    schema = _resolved(root, step.schema)
    variants = [_resolved(root, one) for one in schema.get("anyOf", [])]
    if variants:
        several = len([one for one in variants if one.get("type") != "null"]) > 1
        [schema] = [one for one in variants if _is_a(one, step.value)]
        told_at = ".".join(map(str, step.path)) if several else ""
        step = replace(step, told_at=step.told_at or told_at)
    step = replace(step, schema=schema)
    yield step
    for below in _below(step):
        yield from _steps(root, below)


def _is_a(schema: JSON, value: Any) -> bool:
    kind = schema.get("type", "string" if "enum" in schema else "object")
    return isinstance(value, _TYPES[kind])


def _below(step: Step) -> Iterator[Step]:
    schema, value = step.schema, step.value
    if isinstance(value, dict):
        for key in value:
            if key in schema.get("properties", {}):
                yield step.below(key, schema["properties"][key], f".{key}")
            elif isinstance(rest := schema.get("additionalProperties"), dict):
                yield step.below(key, rest, ".*")
    elif isinstance(value, list | tuple) and "items" in schema:
        for index in range(len(value)):
            yield step.below(index, schema["items"], "[]")


def _child_schemas(node: JSON) -> Iterator[tuple[JSON, str]]:
    yield from ((variant, "") for variant in node.get("anyOf", []))
    yield from ((child, f".{name}") for name, child in node.get("properties", {}).items())
    if isinstance(rest := node.get("additionalProperties"), dict):
        yield rest, ".*"
    if "items" in node:
        yield node["items"], "[]"


def _resolved(root: JSON, node: JSON) -> JSON:
    while "$ref" in node:
        node = root["$defs"][node["$ref"].rpartition("/")[2]]
    return node


def _bounds_of(node: JSON) -> set[str]:
    """An object that may hold other keys is not bound by that."""
    found = BOUNDS & node.keys()
    return found if node.get("additionalProperties") is False else found - {"additionalProperties"}


def _with(config: JSON, path: tuple[str | int, ...], value: Any) -> JSON:
    if not path:
        return dict(value)
    changed = copy.deepcopy(config)
    place: Any = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return changed


# --- Just past a bound ---


def _too_long(bound: int, value: str) -> list[Past]:
    return [Past(value + "x" * (bound + 1 - len(value)), str(bound))]


def _too_many_keys(bound: int, value: JSON) -> list[Past]:
    one = next(iter(value.values()))
    return [Past({f"k{n}": one for n in range(bound + 1)}, str(bound))]


def _one_missing(bound: list[str], value: JSON) -> list[Past]:
    return [
        Past({key: one for key, one in value.items() if key != name}, "required", key=name)
        for name in bound
    ]


# A keyword that is not here fails the walk, until somebody says what is just past it.
_PAST: dict[str, Callable[[Any, Any], list[Past]]] = {
    "minimum": lambda bound, _value: [Past(bound - 1, str(bound), at=bound)],
    "maximum": lambda bound, _value: [Past(bound + 1, str(bound), at=bound)],
    "minLength": lambda bound, value: [Past(value[: bound - 1], str(bound))],
    "maxLength": _too_long,
    "pattern": lambda bound, _value: [Past("É!", bound)],
    "enum": lambda bound, _value: [Past("no_such", f"'{bound[0]}'")],
    "maxItems": lambda bound, value: [Past([value[0]] * (bound + 1), str(bound))],
    "maxProperties": _too_many_keys,
    "required": _one_missing,
    "additionalProperties": lambda _bound, value: [
        Past({**value, "unheard_of": 1}, "Unknown key", key="unheard_of")
    ],
}
