"""What each field of a pydantic model is to a form, read from the model's JSON schema."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any, Final

from pydantic import BaseModel
from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic_core import to_jsonable_python

from tools.schemas import JSON
from tools.secrets.refs import SecretRef, is_reference, is_written_reference


class Kind(Enum):
    FLAG = auto()
    INTEGER = auto()
    NUMBER = auto()
    TEXT = auto()
    LONG_TEXT = auto()
    CHOICE = auto()
    CHOICES = auto()
    LINES = auto()  # a list of strings
    PAIRS = auto()  # an object of strings
    SECRET_PAIRS = auto()  # an object of strings and references to secrets
    TEXT_OR_JSON = auto()
    JSON = auto()  # whatever no field of ours can hold


class _LeftOut(Enum):
    LEFT_OUT = auto()


LEFT_OUT: Final = _LeftOut.LEFT_OUT  # a key that is not there; null is a value
MAX_LINE = 255
_LONG_NAMES = {"body", "content", "csv", "html", "json", "note", "prompt", "template", "text"}
_EMPTY: dict[Kind, Any] = {
    Kind.FLAG: False,
    Kind.LINES: [],
    Kind.CHOICES: [],
    Kind.PAIRS: {},
    Kind.SECRET_PAIRS: {},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """`default` is what holds when the key is left out, LEFT_OUT if it must not be."""

    name: str
    kind: Kind
    description: str = ""
    nullable: bool = False
    default: Any = LEFT_OUT
    choices: tuple[Any, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    max_length: int | None = None

    @property
    def label(self) -> str:
        return self.name.replace("_", " ").strip().capitalize() or self.name

    @property
    def required(self) -> bool:
        return self.default is LEFT_OUT

    def holding(self, value: Any) -> "Shape":
        """As JSON, if this value can't be shown as what it should be."""
        return self if _fits(self, value) else replace(self, kind=Kind.JSON)


def shapes_of(model: type[BaseModel]) -> list[Shape]:
    """In the model's order; none for a model that has no JSON schema: its JSON is edited whole."""
    try:
        schema = model.model_json_schema()
    except PydanticInvalidForJsonSchema:
        return []
    made = _factory_defaults(model)
    required = set(schema.get("required", ()))
    return [
        _shape(name, _known(prop), schema.get("$defs", {}), required=name in required, made=made)
        for name, prop in schema.get("properties", {}).items()
    ]


def _factory_defaults(model: type[BaseModel]) -> JSON:
    """Those that no schema tells."""
    return {
        field.alias or name: to_jsonable_python(field.get_default(call_default_factory=True))
        for name, field in model.model_fields.items()
        if field.default_factory is not None and not field.default_factory_takes_validated_data
    }


def _shape(name: str, prop: JSON, defs: JSON, *, required: bool, made: JSON) -> Shape:
    options = [_resolved(option, defs) for option in prop.get("anyOf", [prop])]
    present = [option for option in options if option.get("type") != "null"]
    only = {**present[0], **_siblings(prop)} if len(present) == 1 else {}
    shape = Shape(
        name=name,
        kind=_kind(name, only, present, defs),
        description=str(prop.get("description", only.get("description", ""))),
        nullable=len(present) < len(options),
        choices=tuple(_choices(only, defs)),
        minimum=only.get("minimum"),
        maximum=only.get("maximum"),
        max_length=only.get("maxLength"),
    )
    return shape if required else replace(shape, default=_default(shape, prop, made))


def _siblings(prop: JSON) -> JSON:
    return {key: value for key, value in prop.items() if key not in ("anyOf", "$ref")}


def _resolved(schema: JSON, defs: JSON) -> JSON:
    """Past references; one that leads to itself ends as what no field can hold."""
    schema = _known(schema)
    for _step in range(10):
        name = str(schema.get("$ref", "")).rpartition("/")[2]
        if not name:
            return schema
        schema = {**_known(defs.get(name)), **_siblings(schema)}
    return {}


def _known(schema: Any) -> JSON:
    """What is described by somebody else may be `true`, or a list of schemas."""
    return schema if isinstance(schema, dict) else {}


def _default(shape: Shape, prop: JSON, made: JSON) -> Any:
    if "default" in prop:
        return prop["default"]
    return made.get(shape.name, None if shape.nullable else _EMPTY.get(shape.kind))


def _kind(name: str, only: JSON, options: list[JSON], defs: JSON) -> Kind:
    if not only:
        return _kind_of_many(options)
    if _is_choice(only):
        return Kind.CHOICE
    match only.get("type"):
        case "string":
            return Kind.LONG_TEXT if _is_long(name, only) else Kind.TEXT
        case "array":
            return _kind_of_list(only, defs)
        case "object" if _resolved(_inner(only), defs).get("type") == "string":
            return Kind.PAIRS
        case "object" if _is_text_or_secret(_inner(only), defs):
            return Kind.SECRET_PAIRS
        case other:
            return _PLAIN.get(str(other), Kind.JSON)


_PLAIN = {"boolean": Kind.FLAG, "integer": Kind.INTEGER, "number": Kind.NUMBER}


def _kind_of_many(options: list[JSON]) -> Kind:
    types = {str(option.get("type")) for option in options}
    if types and types <= {"integer", "number"}:
        return Kind.NUMBER
    return Kind.TEXT_OR_JSON if "string" in types else Kind.JSON


def _kind_of_list(schema: JSON, defs: JSON) -> Kind:
    items = _resolved(schema.get("items", {}), defs)
    if "prefixItems" in schema:
        return Kind.JSON
    if _is_choice(items):
        return Kind.CHOICES
    return Kind.LINES if items.get("type") == "string" else Kind.JSON


def _inner(schema: JSON) -> JSON:
    inner = schema.get("additionalProperties")
    return inner if isinstance(inner, dict) and "properties" not in schema else {}


def _is_text_or_secret(schema: JSON, defs: JSON) -> bool:
    options = [_resolved(option, defs) for option in _resolved(schema, defs).get("anyOf", ())]
    texts = [option for option in options if option.get("type") == "string"]
    secrets = [option for option in options if option.get("title") == SecretRef.__name__]
    return bool(texts and secrets) and len(options) == 2


def _is_choice(schema: JSON) -> bool:
    return any(True for _value in _values(schema))


def _values(schema: JSON) -> Iterator[Any]:
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    if all(isinstance(value, str | int) for value in values):
        yield from values


def _choices(schema: JSON, defs: JSON) -> Iterator[Any]:
    yield from _values(_resolved(schema.get("items", schema), defs))


def _is_long(name: str, schema: JSON) -> bool:
    limit = schema.get("maxLength")
    return name in _LONG_NAMES or (limit is not None and limit > MAX_LINE)


def _fits(shape: Shape, value: Any) -> bool:
    if value is LEFT_OUT or value is None:
        return value is LEFT_OUT or shape.nullable
    if shape.nullable and value in ("", [], {}):
        return False  # an empty field says null
    return shape.kind not in _HOLDS or _HOLDS[shape.kind](shape, value)


def _is_number(value: Any, *types: type) -> bool:
    return isinstance(value, types) and not isinstance(value, bool)


_HOLDS: dict[Kind, Callable[[Shape, Any], bool]] = {
    Kind.FLAG: lambda _shape, value: isinstance(value, bool),
    Kind.INTEGER: lambda _shape, value: _is_number(value, int),
    Kind.NUMBER: lambda _shape, value: _is_number(value, int, float),
    Kind.TEXT: lambda _shape, value: isinstance(value, str) and _is_one_line(value),
    Kind.LONG_TEXT: lambda _shape, value: isinstance(value, str) and "\r" not in value,
    Kind.CHOICE: lambda shape, value: value in shape.choices,
    Kind.CHOICES: lambda shape, value: (
        isinstance(value, list) and all(item in shape.choices for item in value)
    ),
    Kind.LINES: lambda _shape, value: isinstance(value, list) and all(map(_is_line, value)),
    Kind.PAIRS: lambda _shape, value: (
        isinstance(value, dict) and all(map(_is_pair, value, value.values()))
    ),
    Kind.SECRET_PAIRS: lambda _shape, value: (
        isinstance(value, dict)
        and all(
            _is_pair(key, "" if is_reference(held) else held) and not is_written_reference(held)
            for key, held in value.items()
        )
    ),
}


def _is_one_line(text: str) -> bool:
    return len(text.splitlines()) <= 1 and not text.endswith(("\n", "\r"))


def _is_line(item: Any) -> bool:
    return isinstance(item, str) and item == item.strip() != "" and _is_one_line(item)


def _is_pair(key: str, value: Any) -> bool:
    return _is_line(key) and ":" not in key and (value == "" or _is_line(value))
