"""The shapes of a model's fields, read from its JSON schema, whoever wrote that."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

from pydantic import BaseModel
from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic_core import to_jsonable_python

from tools.admin.schema.alternatives import choice_values, named, tags_of
from tools.admin.schema.shapes import EXACT, LEFT_OUT, MADE_OF_OTHERS, Kind, Shape
from tools.json_schemas.reading import alternatives, as_object, resolved, type_of
from tools.schemas import JSON
from tools.secrets.refs import SecretRef

MAX_LINE = 255
MAX_FIELDS = 300  # a page with more is edited as JSON; so is an object in it
MAX_FIELDS_OF_ONE = 60
_MAX_DEPTH = 3  # of lists in lists that have fields: a schema may hold itself
_LONG_NAMES = {"body", "content", "csv", "html", "json", "note", "prompt", "template", "text"}
_PLAIN = {"boolean": Kind.FLAG, "integer": Kind.INTEGER, "number": Kind.NUMBER}


def shapes_of(model: type[BaseModel]) -> list[Shape]:
    """In the model's order; none for a model that has no JSON schema: its JSON is edited whole."""
    try:
        schema = model.model_json_schema()
    except PydanticInvalidForJsonSchema:
        return []
    options = alternatives(schema, schema)
    whole = Inner(Reader(schema), options, made=_factory_defaults(model))
    shapes = whole.properties if len(options) == 1 else []
    return [] if _more_than(MAX_FIELDS, shapes) else shapes


def _factory_defaults(model: type[BaseModel]) -> JSON:
    """Those that no schema tells."""
    return {
        field.alias or name: to_jsonable_python(field.get_default(call_default_factory=True))
        for name, field in model.model_fields.items()
        if field.default_factory is not None and not field.default_factory_takes_validated_data
    }


@dataclass(frozen=True, slots=True)
class Reader:
    root: JSON
    depth: int = 0

    def shape(self, name: str, prop: Any) -> Shape:
        options = alternatives(prop, self.root)
        present = [option for option in options if option.get("type") != "null"]
        kind = self.kind(name, present)
        only = present[0] if len(present) == 1 else {}
        told = resolved(prop, self.root)
        return Shape(
            name=name,
            kind=kind,
            title=str(only.get("title", "")),
            description=str(told.get("description", only.get("description", ""))),
            nullable=0 < len(present) < len(options),
            choices=tuple(choice_values(self._items(only) if kind is Kind.CHOICES else only)),
            minimum=_number(only.get("minimum")),
            maximum=_number(only.get("maximum")),
            max_length=_length(only),
            inner=Inner(self, present) if kind in MADE_OF_OTHERS else None,
        )

    def _items(self, schema: JSON) -> JSON:
        options = alternatives(schema.get("items"), self.root)
        return options[0] if len(options) == 1 else {}

    # --- Of which kind it is ---

    def kind(self, name: str, options: list[JSON]) -> Kind:
        if len(options) == 1:
            return self._kind_of_one(name, options[0])
        types = {type_of(option) for option in options}
        if types and types <= {"integer", "number"}:
            return Kind.NUMBER
        if types == {"string", "object"} and len(options) == 2 and any(map(_is_secret, options)):
            return Kind.TEXT_OR_SECRET
        if self._can_be_chosen_from(options):
            return Kind.UNION
        return Kind.TEXT_OR_JSON if "string" in types else Kind.JSON

    def _can_be_chosen_from(self, options: list[JSON]) -> bool:
        """Where a field for each says more than one for any JSON."""
        kinds = [self._kind_of_one("", option) for option in options]
        worth = {Kind.OBJECT, Kind.LINES, Kind.LIST, Kind.CHOICES}
        return bool(worth.intersection(kinds)) and not EXACT.intersection(kinds)

    def _kind_of_one(self, name: str, schema: JSON) -> Kind:
        if _is_secret(schema):
            return Kind.SECRET
        if choice_values(schema):
            return Kind.CHOICE
        match type_of(schema):
            case "string":
                return Kind.LONG_TEXT if _is_long(name, schema) else Kind.TEXT
            case "array":
                return self._kind_of_list(schema)
            case "object":
                return self._kind_of_object(schema)
            case "":
                said = {"not", "enum", "const", "if"} & schema.keys()
                return Kind.JSON if said else Kind.TEXT_OR_JSON
            case other:
                return _PLAIN.get(other, Kind.JSON)

    def _kind_of_list(self, schema: JSON) -> Kind:
        if "prefixItems" in schema or not isinstance(schema.get("items"), dict):
            return Kind.JSON
        match self._deeper(schema["items"]):
            case Shape(kind=Kind.CHOICE, nullable=False):
                return Kind.CHOICES
            case Shape(kind=Kind.TEXT | Kind.LONG_TEXT, nullable=False):
                return Kind.LINES
            case shape:
                return Kind.JSON if shape.kind in EXACT else Kind.LIST

    def _kind_of_object(self, schema: JSON) -> Kind:
        if as_object(schema.get("properties")):
            return Kind.OBJECT
        if not isinstance(schema.get("additionalProperties"), dict):
            return Kind.JSON
        shape = self._deeper(schema["additionalProperties"])
        if shape.kind in (Kind.TEXT, Kind.LONG_TEXT) and not shape.nullable:
            return Kind.PAIRS
        return Kind.JSON if shape.kind in EXACT else Kind.MAP

    def _deeper(self, schema: JSON) -> Shape:
        if self.depth >= _MAX_DEPTH:
            return Shape(name="", kind=Kind.JSON)
        return Reader(self.root, self.depth + 1).shape("", schema)


class Inner:
    """What a shape is made of. Read when it is asked for: a schema may hold itself."""

    def __init__(self, reader: Reader, options: list[JSON], *, made: JSON | None = None) -> None:
        self._reader = Reader(reader.root)
        self._options = options
        self._made = made or {}

    @cached_property
    def properties(self) -> list[Shape]:
        schema = self._options[0]
        required, tags = schema.get("required", ()), tags_of(schema)
        return [
            replace(self._property(name, prop, required=name in required), is_tag=name in tags)
            for name, prop in as_object(schema.get("properties")).items()
        ]

    def _property(self, name: str, prop: Any, *, required: bool) -> Shape:
        shape = self._reader.shape(name, prop)
        told = resolved(prop, self._reader.root)
        default = told["default"] if "default" in told else self._made.get(name, LEFT_OUT)
        return replace(shape, required=required, default=LEFT_OUT if required else default)

    @cached_property
    def item(self) -> Shape:
        """Of a list, or of what an object has for each key."""
        schema = self._options[0]
        inner = schema.get("items") if "items" in schema else schema.get("additionalProperties")
        return replace(self._reader.shape("", inner), required=True, is_bare=True)

    @cached_property
    def variants(self) -> list[Shape]:
        shapes = (
            (name, self._reader.shape("", option))
            for name, option in named(self._options, self._reader.root)
        )
        return [
            replace(shape, title=name or shape.title, required=True, is_bare=True)
            for name, shape in shapes
        ]


def is_large(shape: Shape) -> bool:
    """Which one that must hold itself is, too."""
    return shape.kind is Kind.OBJECT and _more_than(MAX_FIELDS_OF_ONE, shape.parts.properties)


def _more_than(most: int, shapes: list[Shape]) -> bool:
    return any(True for _shape in islice(_shown(shapes), most, None))


def _shown(shapes: list[Shape]) -> Iterator[Shape]:
    """With what is in them before a row is added."""
    for shape in shapes:
        yield shape
        if shape.kind is Kind.OBJECT and not shape.may_be_absent:
            yield from _shown(shape.parts.properties)


def _number(value: Any) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _length(schema: JSON) -> int | None:
    found = schema.get("maxLength")
    return found if isinstance(found, int) else None


def _is_secret(schema: JSON) -> bool:
    properties = as_object(schema.get("properties"))
    return schema.get("title") == SecretRef.__name__ and set(properties) == {"secret"}


def _is_long(name: str, schema: JSON) -> bool:
    limit = _length(schema)
    return name in _LONG_NAMES or (limit is not None and limit > MAX_LINE)
