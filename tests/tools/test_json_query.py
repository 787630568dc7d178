"""What the tool type `json_query` answers, what it refuses and where, and that nothing runs on."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config.base.models import User
from tests.tools.api import Api
from tools.bounded.failures import Refused
from tools.enums import Risk
from tools.errors import ToolFailure
from tools.models import Tool
from tools.types.json_query.query import query
from tools.types.json_query.schemas import JsonQueryConfig, JsonQueryInput
from tools.types.json_query.tool import JsonQueryType, run

PATIENT = 10_000  # for what is not about the time, however busy the machine is
PEOPLE = [
    {"name": "Ann", "age": 31, "tags": ["a", "b"], "boss": None},
    {"name": "Bob", "age": 19, "tags": ["b"]},
    {"name": "林", "age": 45, "tags": []},
]


def result(expression: str, data: Any = None, *, text: str | None = None, **limits: int) -> Any:
    given = {"expression": expression, "text": text}
    if data is not None:
        given["data"] = data
    config = JsonQueryConfig(**{"timeout_ms": PATIENT, **limits})
    return run(JsonQueryInput.model_validate(given), config)


def failure_of(expression: str, data: Any = None, **more: Any) -> ToolFailure:
    with pytest.raises(ToolFailure) as caught:
        result(expression, data, **more)
    assert caught.value.message
    return caught.value


# --- Right answers ---


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("[0].name", "Ann"),
        ("[*].age", [31, 19, 45]),
        ("[?age > `20`].name", ["Ann", "林"]),
        ("[?name == '林'].age | [0]", 45),
        ("[].tags[]", ["a", "b", "b"]),
        ("sort_by(@, &age)[*].name", ["Bob", "Ann", "林"]),
        ("[0].{n: name, none: nothing}", {"n": "Ann", "none": None}),
        ("sum([*].age)", 95),
        ("[?name > `1`]", []),
        ("nothing.at.all", None),
        ("length(@)", 3),
        ("[-1:]", [PEOPLE[2]]),
        ("@", PEOPLE),
    ],
)
def test_it_answers_over_a_value(expression: str, expected: Any) -> None:
    assert result(expression, PEOPLE) == expected


def test_it_answers_over_json_text() -> None:
    text = '{"a": [1, 2.5, null, true, "\\u6797"], "a b": {"c": 1e3}}'
    assert result("a", text=text) == [1, 2.5, None, True, "林"]
    assert result('"a b".c', text=text) == 1000


@pytest.mark.parametrize("value", [0, False, "", [], {}, 1, 1.0, True, 2**80, "1", [1, 1.0, True]])
def test_a_value_stays_what_it_is(value: Any) -> None:
    assert repr(result("@", value)) == repr(value)


# --- Refusals ---


@pytest.mark.parametrize(
    ("expression", "code", "position"),
    [
        ("  ", "empty", None),
        ("a.[b", "syntax", 4),
        ("a..b", "syntax", 2),
        ("a ? b", "syntax", 2),
        ("a == 'b", "syntax", 5),
        ("a[" + "9" * 990 + "x]", "syntax", 992),
        ("[*].nope(@)", "function", 4),
        ("b.c || length(a, b)", "arity", 7),
        ("not_null()", "arity", 0),
        ("a | sum(@)", "type", 4),
        ("a.b | map(&abs(@), ['x'])", "type", 11),
        ("sort_by(@, &a)", "type", 0),
        ("contains('text', `1`)", "type", 0),
        ("max_by([`1`, 'a'], &@)", "type", 0),
        ("&a", "value", None),
        ("a[::0]", "value", None),
    ],
)
def test_what_can_not_be_evaluated_is_told_with_its_place(
    expression: str, code: str, position: int | None
) -> None:
    data = {"a": {"b": 1}} if "[::" not in expression else {"a": [1]}
    failure = failure_of(expression, data)
    assert (failure.code, failure.details.get("position")) == (code, position)


def test_a_message_says_what_was_wanted() -> None:
    assert failure_of("[*].nope(@)", [1]).message == "There is no function nope() (character 4)."
    assert failure_of("sum(@)", ["a"]).message == (
        "sum() at character 0 wants array-number, not string."
    )
    assert failure_of("length(@, @)", [1]).message == (
        "length() at character 0 takes 1 arguments, not 2."
    )
    assert "“?”" in failure_of("a?", {}).message


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("", 0),
        ('{"a": }', 6),
        ("{'a': 1}", 1),
        ("[1] x", 4),
        ("[NaN]", None),
        ("-Infinity", None),
        ("1e999", None),
        ("9" * 5_000, None),
    ],
)
def test_text_that_is_no_json_is_refused(text: str, position: int | None) -> None:
    failure = failure_of("@", text=text)
    assert (failure.code, failure.details.get("position")) == ("json", position)


@pytest.mark.parametrize(
    ("limits", "given"),
    [
        ({"max_json_chars": 9}, {"data": {"a": "long"}}),
        ({"max_json_chars": 9}, {"text": "[1, 2, 3, 4]"}),
        ({"max_expression_chars": 3}, {"data": [1]}),
        ({"max_result_chars": 9}, {"data": ["long text"]}),
    ],
)
def test_each_limit_of_the_config_holds(limits: dict[str, int], given: dict[str, Any]) -> None:
    assert failure_of("@ | @", **given, **limits).code == "limit"


@pytest.mark.parametrize(
    "given",
    [
        {"expression": "a"},
        {"expression": "a", "data": None},
        {"expression": "a", "data": {}, "text": "{}"},
        {"expression": "a", "data": {}, "query": "b"},
        {"data": {}},
    ],
)
def test_arguments_that_do_not_fit_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        JsonQueryInput.model_validate(given)


# --- Hostile ---

HOSTILE = {
    "doubling": "[@,@]" + "|[@,@]" * 60,
    "joining what doubles": "join('', " * 40 + "['x','x']" + ")" * 40,
    "doubling text": "to_string([@,@])" + "|to_string([@,@])" * 60,
    "deep brackets": "[" * 3_900,
    "deep parentheses": "(" * 1_900 + "a" + ")" * 1_900,
    "deep calls": "abs(" * 700 + "a" + ")" * 700,
    "many nots": "!" * 3_900 + "a",
    "infinity": "sum([`1e308`,`1e308`])",
    "no number": "to_number('nan')",
    "a rounded infinity": "floor(to_number('1e999'))",
    "an integer too large to be divided": "avg([to_number('" + "9" * 3_000 + "')])",
}


@pytest.mark.parametrize("expression", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_expressions_end_with_a_code(expression: str) -> None:
    limits = {"max_expression_chars": 4_000, "timeout_ms": 1_500}
    assert failure_of(expression, {"a": "b" * 100}, **limits).code in {"limit", "syntax", "type"}


def test_deeply_nested_text_ends_with_a_code() -> None:
    assert failure_of("@", text="[" * 100_000 + "]" * 100_000).code == "limit"


CODES = {"syntax", "function", "arity", "type", "value", "limit"}
PARTS = st.sampled_from(
    [
        *"abx.*[]{}()|&!@,:'\"`0123-? ",
        *("[?", "[]", "||", "&&", "==", "<", ">=", "`1`", "`null`", "'x'", "`[1]`", "[0:1]"),
        *("length(", "sum(", "sort_by(", "map(&", "to_string(", "max_by(", "keys(", "nope("),
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abx"), inner),
    max_leaves=8,
)  # fmt: skip


def outcome(expression: str, data: Any) -> Any:
    try:
        return query(expression, data=data, text=None, max_chars=100_000)
    except Refused as refused:
        return refused


@given(st.lists(PARTS, min_size=1, max_size=12).map("".join), VALUES)
@settings(max_examples=1_500, deadline=None, derandomize=True)
@pytest.mark.filterwarnings("ignore:deprecated string literal:PendingDeprecationWarning")
def test_any_pile_of_parts_ends_with_json_or_a_code(expression: str, data: Any) -> None:
    found = outcome(expression, data)
    if isinstance(found, Refused):
        assert found.code in CODES
    else:
        json.dumps(found, allow_nan=False)


@given(VALUES)
@settings(max_examples=100, deadline=None, derandomize=True)
def test_the_whole_is_what_was_given(data: Any) -> None:
    assert outcome("@", data) == data
    text = json.dumps(data)
    assert query("@", data=None, text=text, max_chars=100_000) == data


# --- As a tool ---


def test_it_names_its_codes_and_limits_in_its_description() -> None:
    text = JsonQueryType().description(JsonQueryConfig(max_json_chars=123, timeout_ms=456))
    assert all(word in text for word in (*CODES, "json", "empty", "123", "456 ms"))


def test_it_is_a_pure_computation() -> None:
    annotations = JsonQueryType().annotations(JsonQueryConfig())
    assert (annotations.risk, annotations.read_only, annotations.idempotent) == (
        Risk.L0,
        True,
        True,
    )


@pytest.mark.django_db
@pytest.mark.both
def test_it_answers_through_the_api_with_nulls_kept(operator: User) -> None:
    path = f"/api/agent-tools/{Tool.objects.get(slug='json_query').pk}/execute/"
    given = {"expression": "a", "data": {"a": {"b": None, "c": [None]}}}
    _status, answer = Api(operator)("POST", path, {"input": given})
    assert answer["data"] == {"result": {"b": None, "c": [None]}}
    _status, answer = Api(operator)("POST", path, {"input": {**given, "expression": "x | sum(@)"}})
    assert answer["error"]["code"] == "type"
    assert answer["error"]["position"] == 4
