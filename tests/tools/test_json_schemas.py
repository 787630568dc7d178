"""Schemas that somebody else wrote: read as far as they say something, never longer than that."""

from typing import Any

import pytest

from tools.admin.schema.part import SchemaPart
from tools.admin.schema.reader import shapes_of
from tools.admin.schema.shapes import Kind
from tools.docs.schema import fields_of_schema
from tools.json_schemas.described_input import described_input
from tools.json_schemas.pointers import value_behind
from tools.json_schemas.reading import alternatives, resolved
from tools.schemas import JSON

PETS: JSON = {
    "type": "object",
    "properties": {
        "pet": {"oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}]},
        "owner": {"anyOf": [{"$ref": "#/definitions/Person"}, {"type": "null"}]},
        "status": {"type": ["string", "null"], "enum": ["sold", "free", None]},
        "near": {
            "allOf": [{"$ref": "#/definitions/Person"}, {"properties": {"km": {"type": "number"}}}]
        },
        "like": {"$ref": "#/properties/owner"},
    },
    "$defs": {
        "Cat": {
            "type": "object",
            "properties": {"kind": {"const": "cat"}, "lives": {"type": "integer"}},
            "required": ["kind"],
        },
        "Dog": {
            "type": "object",
            "properties": {"kind": {"const": "dog"}, "size": {"type": "string"}},
            "required": ["kind"],
        },
    },
    "definitions": {"Person": {"type": "object", "properties": {"name": {"type": "string"}}}},
}


def test_what_is_referred_to_is_found_wherever_it_stands() -> None:
    shapes = {shape.name: shape for shape in shapes_of(described_input(PETS))}
    assert shapes["pet"].kind is Kind.UNION
    assert [one.title for one in shapes["pet"].parts.variants] == ["cat", "dog"]
    assert (shapes["owner"].kind, shapes["owner"].nullable) == (Kind.OBJECT, True)
    assert (shapes["status"].kind, shapes["status"].choices) == (Kind.CHOICE, ("sold", "free"))
    assert [part.name for part in shapes["near"].parts.properties] == ["name", "km"]
    assert shapes["like"].kind is Kind.OBJECT


def test_the_docs_tell_of_the_same() -> None:
    fields = {field.path: field.kind for field in fields_of_schema(PETS)}
    assert fields["owner.name"] == "string"
    assert fields["like.name"] == "string"
    assert fields["pet (Cat).lives"] == "integer"
    assert fields["owner"] == "object | null"


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$ref": "#/nowhere"},
        {"$ref": "https://example.com/schema"},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}},
        {"anyOf": [{"$ref": "#"}] * 16},
        {"allOf": [{"$ref": "#"}] * 16},
        {"type": "array", "items": {"$ref": "#"}},
        {"$ref": 3, "enum": "x", "properties": [], "required": 5},
        True,
        None,
    ],
)
def test_one_that_leads_nowhere_or_in_circles_ends(schema: Any) -> None:
    root = schema if isinstance(schema, dict) else {}
    assert isinstance(resolved(schema, root), dict)
    assert 1 <= len(alternatives(schema, root)) <= 17


HOSTILE: list[JSON] = [
    {
        "type": "object",
        "properties": {c: {"$ref": "#"} for c in "abcdefgh"},
        "required": list("abcdefgh"),
    },
    {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(5000)}},
    {
        "type": "object",
        "properties": {
            "a": {"anyOf": [{"items": {"$ref": "#/properties/a"}, "type": "array"}] * 9}
        },
    },
    {"type": "object", "properties": {"a": {"type": "string", "maxLength": "x", "minimum": "y"}}},
    {"type": "object", "properties": {"a": True, "b": False, "c": {"items": [1], "type": "array"}}},
]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_a_form_of_any_schema_can_be_made(number: int) -> None:
    class Model(described_input({"type": "object"})):  # type: ignore[misc]  # made at run time
        @classmethod
        def model_json_schema(cls, *_arguments: Any, **_options: Any) -> JSON:
            return HOSTILE[number]

    part = SchemaPart("arguments", Model, {})
    assert len(part.fields()) < 400


PLACES = {"a/b": [{"n~m": 1}], "": {"": 2}, "-1": 3, "x y": 4}


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("#", PLACES),
        ("#/a~1b/0/n~0m", 1),
        ("#/a%2Fb", LookupError),
        ("#/a~1b/1", LookupError),
        ("#/a~1b/-1", LookupError),
        (f"#/a~1b/{'9' * 5000}", LookupError),
        ("#//", 2),
        ("#/-1", 3),
        ("#/-1/0", LookupError),
        ("#/x%20y", 4),
        ("#anchor", LookupError),
        ("other.json#/a", LookupError),
    ],
)
def test_a_reference_leads_to_one_place_or_nowhere(reference: str, found: Any) -> None:
    if found is LookupError:
        with pytest.raises(LookupError):
            value_behind(PLACES, reference)
    else:
        assert value_behind(PLACES, reference) == found


def test_parts_that_multiply_are_not_all_read() -> None:
    """Three lines that stand for thousands of parts, for each of a thousand properties."""
    of = {name: {"allOf": [{"$ref": f"#/$defs/{next_}"}] * 16} for name, next_ in ("ab", "bc")}
    root = {"$defs": {**of, "c": {"type": "string", "allOf": [{"title": "x"}] * 16}}}
    assert alternatives({"$ref": "#/$defs/a"}, root) == [{}]
    few = {"allOf": [{"$ref": "#/$defs/d"}] * 3}
    assert alternatives(few, {"$defs": {"d": {"type": "string"}}}) == [{"type": "string"}]
