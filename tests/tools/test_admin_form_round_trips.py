"""Any config that a schema allows goes through its form, as browsers send it, unchanged."""

import json
from typing import Any

import pytest
from django.http import QueryDict
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.admin.schema.part import SchemaPart
from tools.json_schemas.described_input import described_input
from tools.schemas import JSON

WORDS = st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=8)
NAMES = st.text("abcxyz_.:%- é", min_size=1, max_size=5)
PLAIN: list[JSON] = [
    {"type": "string"},
    {"type": "string", "maxLength": 2000},
    {"type": "integer"},
    {"type": "number"},
    {"type": "boolean"},
    {"enum": ["red", "green", "blue"]},
    {"enum": ["red", None]},
    {"enum": [1, 2, 3]},
    {"const": "only"},
    {"type": ["string", "null"]},
    {},
    {"type": "array", "items": {"type": "string"}},
    {"type": "array", "items": {"enum": ["a", "b", "c"]}},
    {"type": "object", "additionalProperties": {"type": "string"}},
    {"type": "object"},
]


def _objects(inner: st.SearchStrategy[JSON]) -> st.SearchStrategy[JSON]:
    properties = st.dictionaries(NAMES, inner, min_size=1, max_size=4)
    return properties.flatmap(
        lambda found: st.sets(st.sampled_from(sorted(found))).map(
            lambda required: {
                "type": "object",
                "properties": found,
                "required": sorted(required),
                "additionalProperties": False,
            }
        )
    )


def _made_of(inner: st.SearchStrategy[JSON]) -> st.SearchStrategy[JSON]:
    return st.one_of(
        _objects(inner),
        inner.map(lambda one: {"type": "array", "items": one}),
        inner.map(lambda one: {"type": "object", "additionalProperties": one}),
        st.lists(inner, min_size=1, max_size=3).map(lambda some: {"anyOf": some}),
        inner.map(lambda one: {"anyOf": [one, {"type": "null"}]}),
    )


SCHEMAS = _objects(st.recursive(st.sampled_from(PLAIN), _made_of, max_leaves=6))


def _values(schema: JSON) -> st.SearchStrategy[Any]:
    if "anyOf" in schema:
        return st.one_of([_values(option) for option in schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "const" in schema:
        return st.just(schema["const"])
    match schema.get("type"):
        case "array":
            return st.lists(_values(schema["items"]), max_size=3)
        case "object":
            return _object_of(schema)
        case list():
            return st.none() | WORDS
        case None:
            return _ANY
        case other:
            return _SIMPLE[other]


def _object_of(schema: JSON) -> st.SearchStrategy[Any]:
    if "properties" not in schema:
        return st.dictionaries(WORDS, _values(schema.get("additionalProperties", {})), max_size=3)
    parts = {name: _values(one) for name, one in schema["properties"].items()}
    required = {name: parts.pop(name) for name in schema["required"]}
    return st.fixed_dictionaries(required, optional=parts)


_SIMPLE: dict[str, st.SearchStrategy[Any]] = {
    "string": WORDS | st.text("a\n\t ", max_size=5),
    "integer": st.integers(),
    "number": st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    "boolean": st.booleans(),
    "null": st.none(),
}
_ANY = st.recursive(
    st.one_of(list(_SIMPLE.values())), lambda inner: st.lists(inner) | st.dictionaries(WORDS, inner)
)


@st.composite
def configs(draw: st.DrawFn) -> tuple[JSON, JSON]:
    schema = draw(SCHEMAS)
    return schema, draw(_values(schema))


def browser(part: SchemaPart, text: str | None = None) -> QueryDict:
    """What it sends of the page as it stands; a text area's lines end in pairs."""
    data = QueryDict(mutable=True)
    for node in part._nodes:
        for name, value in node.sent():
            data.appendlist(name, value.replace("\r\n", "\n").replace("\n", "\r\n"))
    data[part.name] = part.step_text if text is None else text
    data[f"{part.name}-shown"] = part.shown_text
    data[f"{part.name}-step"] = part.step_text
    data[f"{part.name}-as-json"] = part.as_json_text
    return data


@given(configs())
@settings(max_examples=300, deadline=None)
def test_a_form_that_is_sent_as_it_was_says_what_it_showed(case: tuple[JSON, JSON]) -> None:
    schema, config = case
    model = described_input(schema)
    model.model_validate(config)
    sent = SchemaPart("config", model, config, browser(SchemaPart("config", model, config)))
    assert json.dumps(sent.value, sort_keys=True) == json.dumps(config, sort_keys=True)


@given(configs())
@settings(max_examples=200, deadline=None)
def test_what_is_typed_as_json_fills_the_fields_with_the_same(case: tuple[JSON, JSON]) -> None:
    schema, config = case
    model = described_input(schema)
    page = SchemaPart("config", model, {})
    filled = SchemaPart("config", model, {}, browser(page, json.dumps(config)))
    sent = SchemaPart("config", model, {}, browser(filled))
    assert json.dumps(sent.value, sort_keys=True) == json.dumps(config, sort_keys=True)


@pytest.mark.parametrize(
    "act", ["add config.x", "remove config.x 0", "nonsense", "rise config.x 7"]
)
def test_a_button_that_means_nothing_here_changes_nothing(act: str) -> None:
    model = described_input({"type": "object", "properties": {"x": {"type": "string"}}})
    data = browser(SchemaPart("config", model, {"x": "a"}))
    data["config:act"] = act
    assert SchemaPart("config", model, {"x": "a"}, data).value == {"x": "a"}
