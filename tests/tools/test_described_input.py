"""Arguments by somebody else's JSON schema: judged as it says, and nothing it says can do harm."""

from contextlib import suppress
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tools.configs import field_errors
from tools.json_schemas.checks import weight_of
from tools.json_schemas.described_input import UnusableSchema, described_input

PET: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 5},
        "tag": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "owner": {"$ref": "#/$defs/person"},
        "class": {"enum": ["cat", "dog"]},
    },
    "required": ["name"],
    "additionalProperties": False,
    "$defs": {"person": {"type": "object", "properties": {"age": {"type": "integer"}}}},
}


def errors_of(schema: dict[str, Any], arguments: Any) -> dict[str, str]:
    with pytest.raises(ValidationError) as caught:
        described_input(schema).model_validate(arguments)
    return field_errors(caught.value)


@pytest.mark.parametrize(
    "arguments",
    [
        {"name": "Rex"},
        {"name": "Rex", "tag": None, "owner": {"age": 3, "more": [None]}, "class": "dog"},
        {"name": "Rex", "owner": {"model_fields": 1}},
    ],
)
def test_what_fits_is_kept_as_it_is(arguments: dict[str, Any]) -> None:
    parsed = described_input(PET).model_validate(arguments)
    assert parsed.model_dump(mode="json", exclude_none=True) == arguments


@pytest.mark.parametrize("name", ["model_dump", "validator", "input_schema", "__class__", "copy"])
def test_names_that_python_uses_are_names_like_any(name: str) -> None:
    schema = {"type": "object", "properties": {name: {"type": "string"}}}
    parsed = described_input(schema).model_validate({name: "x"})
    assert parsed.model_dump() == {name: "x"}


def test_each_error_says_where() -> None:
    arguments = {"name": "Rex Rex", "owner": {"age": "three"}, "colour": "red"}
    assert set(errors_of(PET, arguments)) == {"name", "owner.age", ""}


def test_what_is_missing_is_told_where_it_should_stand() -> None:
    owner = {"type": "object", "required": ["age", "a.b"]}
    schema = {"type": "object", "properties": {"owners": {"items": owner}}, "required": ["name"]}
    found = errors_of(schema, {"owners": [{"age": 1, "a.b": 2}, {}]})
    assert set(found) == {"name", "owners.1.age", "owners.1.a.b"}
    assert "required" in found["name"]


@pytest.mark.parametrize("arguments", [None, [], "name", 3])
def test_arguments_are_an_object(arguments: Any) -> None:
    assert "object" in errors_of(PET, arguments)[""]


def test_no_error_and_no_number_of_them_is_long() -> None:
    schema = {"type": "object", "additionalProperties": {"type": "integer"}}
    found = errors_of(schema, {f"key{n}": "x" * 10_000 for n in range(100)})
    assert len(found) == 20
    assert max(map(len, found.values())) <= 201


def test_the_schema_is_told_as_it_was_given_and_can_not_be_changed_through_it() -> None:
    model = described_input(PET)
    model.model_json_schema(by_alias=True)["properties"].clear()
    assert model.model_json_schema() == PET
    assert described_input(PET) is model


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "string"},
        {"type": ["object", "null"]},
        {"type": "object", "properties": {"a": {"type": "nothing"}}},
        {"type": "object", "properties": {"a": {"minimum": "3"}}},
        {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/schema.json"}}},
        {"type": "object", "properties": {"a": {"$ref": "file:///etc/passwd"}}},
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/nowhere"}}},
        {"type": "object", "properties": {"a": {"pattern": "(?<=a)b"}}},
        {"type": "object", "properties": {"a": {"pattern": "("}}},
    ],
)
def test_what_can_not_be_used_is_said(schema: dict[str, Any]) -> None:
    with pytest.raises(UnusableSchema) as caught:
        described_input(schema)
    assert caught.value.code == "schema_unusable"


def test_a_pattern_that_would_run_long_elsewhere_does_not_here() -> None:
    schema = {"type": "object", "properties": {"a": {"pattern": "^(a+)+$"}}}
    assert set(errors_of(schema, {"a": "a" * 50_000 + "!"})) == {"a"}


def test_a_schema_that_holds_itself_is_fine() -> None:
    schema = {
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"$ref": "#"}}},
        "additionalProperties": False,
    }
    deep: dict[str, Any] = {}
    for _level in range(50):
        deep = {"children": [deep]}
    assert described_input(schema).model_validate(deep).model_dump() == deep
    assert errors_of(schema, {"children": [{"child": 1}]})


# --- Schemas that take a validator longer than anybody waits ---


def doubling(times: int, **last: Any) -> dict[str, Any]:
    """Each part refers twice to the next: a few lines, looked at 2 ** times."""
    parts = {f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(times)}
    return {
        "type": "object",
        "allOf": [{"$ref": "#/$defs/a0"}],
        "$defs": {**parts, f"a{times}": last or {"type": "object"}},
    }


def tree() -> dict[str, Any]:
    """Refers to itself, and twice for the same part of the value."""
    again = {"properties": {"a": {"allOf": [{"$ref": "#/$defs/n"}] * 2}}}
    return {"type": "object", "allOf": [{"$ref": "#/$defs/n"}], "$defs": {"n": again}}


def deep(times: int) -> Any:
    value: Any = {}
    for _n in range(times):
        value = {"a": value}
    return value


@pytest.mark.parametrize(("schema", "value"), [(doubling(60), {}), (tree(), deep(60))])
def test_one_that_would_take_for_ever_is_stopped(schema: dict[str, Any], value: Any) -> None:
    assert "too long" in errors_of(schema, value)[""]


def test_one_that_only_might_is_checked_all_the_same() -> None:
    nested = {"type": "object", "properties": {"a": {"$ref": "#"}, "n": {"type": "integer"}}}
    assert described_input(nested).model_validate({"a": {"n": 1}}).model_dump() == {"a": {"n": 1}}
    assert set(errors_of(nested, {"a": {"a": {"n": "x"}}})) == {"a.a.n"}


@pytest.mark.parametrize(
    ("schema", "weight"),
    [
        ({}, 1),
        ({"properties": {"a": {}, "b": {}}}, 4),
        ({"$defs": {"a": {}}, "anyOf": [{"$ref": "#/$defs/a"}] * 2}, 7),
        ({"$ref": "#"}, float("inf")),
        ({"$ref": "#/$defs/a~1b", "$defs": {"a/b": {}}}, 4),
        ({"$ref": "#name"}, float("inf")),
        ({"$dynamicRef": "#a"}, float("inf")),
        ({"$ref": "#/nowhere"}, float("inf")),
    ],
)
def test_a_schema_weighs_its_parts_as_often_as_they_are_referred_to(
    schema: dict[str, Any], weight: float
) -> None:
    assert weight_of(schema) == weight


@given(st.recursive(st.none() | st.text() | st.just("#"), lambda below: st.lists(below)
    | st.dictionaries(st.sampled_from(["$ref", "allOf", "$defs", "a"]), below)))  # fmt: skip
def test_whatever_a_schema_is_it_has_a_weight(part: Any) -> None:
    assert weight_of({"a": part}) >= 1


# --- Patterns and lists that take a validator all memory, or longer than anybody waits ---

MEGABYTE = r"[\p{L}\p{N}]{20}"  # compiled
MANY_STATES = "^[ab]*a[ab]{500}c$"


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"pattern": MEGABYTE}}},
        {"properties": {f"p{n}": {"pattern": rf"\p{{L}}x{n}"} for n in range(1000)}},
        {"patternProperties": {rf"\p{{L}}x{n}": {} for n in range(1000)}},
        {"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"pattern": MEGABYTE}}},
    ],
)
def test_patterns_that_would_fill_the_memory_are_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(UnusableSchema):
        described_input({"type": "object", **schema})


def test_a_property_may_be_called_pattern() -> None:
    schema = {"type": "object", "properties": {"pattern": {"type": "string"}}}
    assert described_input(schema).model_validate({"pattern": "("})


def checks_in_this_process(schema: dict[str, Any], value: Any) -> list[str]:
    """The ways in which the validator that can't be stopped is asked."""
    asked = []

    class Asked:
        def is_valid(self, _value: Any) -> bool:
            asked.append("is_valid")
            return False

        def iter_errors(self, _value: Any) -> list[Any]:
            asked.append("iter_errors")
            return []

    class Watched(described_input({"type": "object", **schema})):  # type: ignore[misc]  # made
        validator = Asked()

    with suppress(ValidationError):
        Watched.model_validate(value)
    return asked


@pytest.mark.parametrize(
    ("schema", "value", "asked"),
    [
        # A quarter of a minute for a million letters.
        ({"properties": {"a": {"pattern": MANY_STATES}}}, {"a": "ab" * 100_000}, []),
        ({"patternProperties": {MANY_STATES: {}}}, {"ab" * 100_000: 1}, []),
        # An error tells all values: a quarter of an hour.
        (
            {"properties": {"a": {"items": {"enum": list(range(9000))}}}},
            {"a": [0.5] * 100},
            ["is_valid"],
        ),
        (
            {"properties": {"a": {"items": {"required": [f"x{n}" for n in range(900)]}}}},
            {"a": [{}] * 2000},
            [],
        ),
        ({"properties": {"a": {"items": False}}}, {"a": [1] * 10_000}, ["is_valid"]),
        (
            {"properties": {"a": {"pattern": "^[a-z]+$"}}},
            {"a": "b" * 100},
            ["is_valid", "iter_errors"],
        ),
    ],
)
def test_what_could_run_long_is_checked_where_it_can_be_stopped(
    schema: dict[str, Any], value: Any, asked: list[str]
) -> None:
    assert checks_in_this_process(schema, value) == asked


def test_one_that_is_stopped_is_an_answer() -> None:
    schema = {"type": "object", "properties": {"a": {"pattern": MANY_STATES}}}
    letters = "".join(Random(1).choices("ab", k=1_000_000))
    assert "too long" in errors_of(schema, {"a": letters})[""]
