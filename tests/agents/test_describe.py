"""One line about a call for people: never long, never broken, whatever a model made up."""

from typing import Any

import pytest
from django.utils import translation

from agents.runs.describe import describe_call


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
        ("handbook", {"n": 1, "url": "http://x/"}, "handbook http://x/"),
        ("handbook", {}, "handbook"),
    ],
)
def test_it_says_what_is_done_and_to_what(name: str, arguments: Any, line: str) -> None:
    assert describe_call(name, arguments) == line


@pytest.mark.parametrize("name", ["fetch", "calculator", "datetime", "document", "other", ""])
@pytest.mark.parametrize(
    "arguments",
    [
        None,
        {},
        {"url": None, "expression": 7, "text": ["x"], "action": {}, "title": 1, "q": False},
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
