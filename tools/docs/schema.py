"""The fields of a JSON schema as rows, nested ones included, whatever the schema is made of."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema, to_jsonable_python

from tools.json_schemas.reading import resolved
from tools.schemas import JSON

LIMITS = (
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
)
_MAX_DEPTH = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldDoc:
    """`path` as in `rows[].name`; `limits`: JSON schema's own words, one object per alternative."""

    path: str
    kind: str
    required: bool
    default: Any = None
    limits: list[JSON] = field(default_factory=list)
    help: str = ""
    is_fixed: bool = False  # can have one value only, which says what it is


class _WithMadeDefaults(GenerateJsonSchema):
    """A default that a factory makes is as good as any."""

    def get_default_value(self, schema: core_schema.WithDefaultSchema) -> Any:
        if "default_factory" in schema and not schema.get("default_factory_takes_data"):
            make: Any = schema["default_factory"]
            return to_jsonable_python(make())
        return super().get_default_value(schema)


def fields_of_model(model: type[BaseModel]) -> list[FieldDoc]:
    return fields_of_schema(model.model_json_schema(schema_generator=_WithMadeDefaults))


def fields_of_schema(schema: JSON) -> list[FieldDoc]:
    """In the schema's order, each followed by what is in it; one that holds itself is told once."""
    return list(_Walk(schema).inside(schema, "", ()))


class _Walk:
    def __init__(self, root: JSON) -> None:
        self._root = root

    def inside(self, schema: Any, path: str, seen: tuple[str, ...]) -> Iterator[FieldDoc]:
        """What stands in a value of this schema."""
        name = str(schema.get("$ref", "")) if isinstance(schema, dict) else ""
        if not schema or name in seen or path.count(".") >= _MAX_DEPTH:
            return
        seen = (*seen, name) if name else seen
        schema = self._resolved(schema)
        yield from self._properties(schema, path, seen)
        for part in schema.get("allOf", ()):
            yield from self.inside(part, path, seen)
        yield from self._of_variants(schema, path, seen)
        yield from self.inside(schema.get("items", {}), f"{path}[]", seen)
        for number, item in enumerate(schema.get("prefixItems", ())):
            yield from self.inside(item, f"{path}[{number}]", seen)
        yield from self.inside(schema.get("additionalProperties", {}), f"{path}.*", seen)

    def _properties(self, schema: JSON, path: str, seen: tuple[str, ...]) -> Iterator[FieldDoc]:
        required = schema.get("required", ())
        for name, prop in schema.get("properties", {}).items():
            at = f"{path}.{name}" if path else name
            yield self._field(at, prop, required=name in required)
            yield from self.inside(prop, at, seen)

    def _of_variants(self, schema: JSON, path: str, seen: tuple[str, ...]) -> Iterator[FieldDoc]:
        """Each under its name, where there are several that hold something."""
        options = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
        full = [option for option in options if self._holds_fields(option)]
        for number, option in enumerate(full, start=1):
            title = self._resolved(option).get("title") or _name_of(option) or str(number)
            yield from self.inside(option, path if len(full) == 1 else f"{path} ({title})", seen)

    def _holds_fields(self, schema: Any) -> bool:
        schema = self._resolved(schema)
        inner = schema.get("items", schema.get("additionalProperties"))
        parts = ("properties", "anyOf", "oneOf", "allOf")
        return any(part in schema for part in parts) or isinstance(inner, dict)

    def _field(self, path: str, prop: Any, *, required: bool) -> FieldDoc:
        prop = prop if isinstance(prop, dict) else {}
        return FieldDoc(
            path=path,
            kind=self.kind(prop),
            required=required,
            default=prop.get("default"),
            limits=list(self._limits(prop)),
            help=str(prop.get("description", "")),
            is_fixed="const" in self._resolved(prop),
        )

    def _resolved(self, schema: Any) -> JSON:
        """Past references; one that leads nowhere, or round in a circle, says nothing."""
        return resolved(schema, self._root)

    def kind(self, schema: Any, depth: int = 0) -> str:
        schema = self._resolved(schema)
        if depth > _MAX_DEPTH:
            return "…"
        options = schema.get("anyOf") or schema.get("oneOf")
        if "const" in schema or "enum" in schema:
            return " | ".join(map(str, schema.get("enum", [schema.get("const")])))
        if options:
            return " | ".join(dict.fromkeys(self.kind(option, depth + 1) for option in options))
        if len(schema.get("allOf", ())) == 1:
            return self.kind(schema["allOf"][0], depth + 1)
        types = schema.get("type")
        if isinstance(types, list):
            return " | ".join(map(str, types))
        return self._plain_kind(str(types or ""), schema, depth)

    def _plain_kind(self, name: str, schema: JSON, depth: int) -> str:
        if name == "array":
            return self._kind_of_list(schema, depth)
        inner = schema.get("additionalProperties")
        if name == "object" and "properties" not in schema and isinstance(inner, dict):
            return _("object of %(kind)s") % {"kind": self.kind(inner, depth + 1)}
        if not name and "properties" in schema:
            return "object"
        said = schema.get("format")
        return f"{name} ({said})" if name and said else name or _("any value")

    def _kind_of_list(self, schema: JSON, depth: int) -> str:
        if parts := schema.get("prefixItems"):
            kinds: Sequence[str] = [self.kind(part, depth + 1) for part in parts]
            return _("list of %(kind)s") % {"kind": f"({', '.join(kinds)})"}
        items = schema.get("items")
        return _("list of %(kind)s") % {"kind": self.kind(items, depth + 1)} if items else _("list")

    def _limits(self, schema: Any, depth: int = 0) -> Iterator[JSON]:
        """Of the value, of each of its alternatives, and of what a list holds."""
        schema = self._resolved(schema)
        if depth > _MAX_DEPTH:
            return
        if own := {name: schema[name] for name in LIMITS if name in schema}:
            yield own
        for part in ("anyOf", "oneOf", "allOf"):
            for option in schema.get(part, ()):
                yield from self._limits(option, depth + 1)
        for inner in self._limits(schema.get("items", {}), depth + 1):
            yield {"items": inner}


def _name_of(schema: Any) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2] if isinstance(schema, dict) else ""
