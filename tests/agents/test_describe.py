"""One line about a call for people: never long, never broken, whatever a model made up."""

from typing import Any, get_args

import pytest
from django.utils import translation

from agents.runs.describe import describe_call
from agents.runs.step_lines import STEP_LINES
from tools.registry import get_tool_type, list_tool_types


@pytest.mark.parametrize(
    ("name", "arguments", "line"),
    [
        ("fetch", {"url": "http://example.com/"}, "Fetching http://example.com/"),
        ("calculator", {"expression": "6*7"}, "Calculating 6*7"),
        ("datetime", {"text": "next Friday"}, "Working out “next Friday”"),
        ("datetime", {"operation": "now"}, "Working out a date or time"),
        ("document", {"action": "create", "title": "Notes"}, "Writing “Notes”"),
        ("document", {"action": "list"}, "Listing your documents"),
        ("document", {"action": "list", "q": "eggs"}, "Looking for “eggs” in your documents"),
        ("document", {"action": "read", "id": "7"}, "Reading a document"),
        ("document", {"action": "update"}, "Changing a document"),
        ("document", {"action": "delete"}, "Deleting a document"),
        ("document", {"action": "frobnicate"}, "Working with your documents"),
        ("web_search", {"query": "eggs"}, "Searching the web for “eggs”"),
        (
            "web_search",
            {"query": "eggs", "site": "a.example"},
            "Searching a.example for “eggs”",
        ),
        ("unit_convert", {"value": 5, "from": "mile", "to": "km"}, "Converting 5 mile to km"),
        ("unit_convert", {"value": "7.5", "from": "°F"}, "Converting 7.5 °F to"),
        ("json_query", {"expression": "a[0]", "text": "{}"}, "Looking up a[0] in data"),
        ("table_query", {"csv": "a,b"}, "Working through a table"),
        ("template", {"template": "Dear {{ name }}"}, "Filling in a template"),
        ("send_message", {"text": "It rains"}, "Writing a message: “It rains”"),
        ("memory_search", {"query": "tea"}, "Recalling “tea”"),
        ("memory_search", {}, "Recalling memories"),
        ("text", {"operation": "count", "text": "x"}, "Counting words and characters"),
        ("text", {"operation": "frobnicate", "text": "x"}, "Working on a text"),
        ("encode", {"operation": "base64url_decode", "data": "x"}, "Decoding base64url"),
        ("encode", {"operation": "query_encode"}, "Encoding as query"),
        ("encode", {"operation": "uuid7"}, "Making a UUID"),
        ("encode", {}, "Encoding or decoding"),
        ("random", {"operation": "dice", "sides": 6}, "Rolling dice"),
        ("random", {"operation": 7}, "Drawing at random"),
        ("handbook", {"n": 1, "url": "http://x/"}, "handbook http://x/"),
        ("handbook", {}, "handbook"),
    ],
)
def test_it_says_what_is_done_and_to_what(name: str, arguments: Any, line: str) -> None:
    assert describe_call(name, arguments) == line


def test_lines_are_of_shipped_types_and_each_operation_has_its_own() -> None:
    assert set(STEP_LINES) <= {tool_type.name for tool_type in list_tool_types()}
    for name in ("text", "encode", "random"):
        tool_type = get_tool_type(name)
        operations = tool_type.input_model(tool_type.config_model()).model_fields["operation"]
        for operation in get_args(operations.annotation):
            line = describe_call(name, {"operation": operation})
            assert line != describe_call(name, {}) or operation == "sample"


def test_the_key_of_a_keyed_hash_is_not_shown() -> None:
    arguments = {"secret_key": "sesame", "data": "open", "operation": "hmac"}
    assert describe_call("encode", arguments) == "Computing a keyed hash"


@pytest.mark.parametrize("name", [*STEP_LINES, "other", ""])
@pytest.mark.parametrize(
    "arguments",
    [
        None,
        {},
        {"url": None, "expression": 7, "text": ["x"], "action": {}, "title": 1, "q": False},
        {"query": 7, "site": [], "operation": ["a"], "value": {"a": 1}, "from": None, "to": 1},
        {"query": "x" * 5000, "site": "y" * 5000, "value": "1" * 5000, "from": "%(to)s"},
        {"value": 10**300, "operation": "x" * 5000 + "_encode"},
        {"url": "x" * 5000, "expression": "1+" * 5000, "text": "y" * 5000, "q": "z" * 5000},
        {"url": "a\nb\r\n\tc", "expression": "%s %(x)s {}", "text": "%d", "q": "%"},
        {"url": "\u202e\x00", "expression": "\ud800", "text": "\u2028", "q": "\x1b[31m"},
    ],
)
def test_nothing_that_a_model_says_breaks_it(name: str, arguments: Any) -> None:
    line = describe_call(name, arguments)
    assert len(line) <= 120
    assert len(line.splitlines()) <= 1


def test_a_long_line_ends_in_an_ellipsis() -> None:
    assert describe_call("fetch", {"url": "http://example.com/" + "x" * 200}).endswith("x…")


def test_it_is_in_the_persons_language() -> None:
    with translation.override("zh-hans"):
        assert "http://example.com/" in describe_call("fetch", {"url": "http://example.com/"})
