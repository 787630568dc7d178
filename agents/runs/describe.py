"""One line about a call for people: what is being done and to what, nothing long."""

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _

type Arguments = dict[str, Any]

_MAX_LENGTH = 120


def describe_call(name: str, arguments: Arguments | None) -> str:
    """`Fetching http://example.com/`, `Writing “Notes”`; any other tool by its own name."""
    given = arguments or {}
    describe = _DESCRIBE.get(name)
    line = describe(given) if describe else _other(name, given)
    line = " ".join(line.split())
    return line if len(line) <= _MAX_LENGTH else line[: _MAX_LENGTH - 1] + "…"


def _text(arguments: Arguments, name: str) -> str:
    value = arguments.get(name)
    return value if isinstance(value, str) else ""


def _fetch(arguments: Arguments) -> str:
    return _("Fetching %(url)s") % {"url": _text(arguments, "url")}


def _calculator(arguments: Arguments) -> str:
    return _("Calculating %(expression)s") % {"expression": _text(arguments, "expression")}


def _datetime(arguments: Arguments) -> str:
    text = _text(arguments, "text")
    return _("Working out “%(text)s”") % {"text": text} if text else _("Working out a date or time")


def _document(arguments: Arguments) -> str:
    title, query = _text(arguments, "title"), _text(arguments, "q")
    action = _text(arguments, "action")
    if action == "create":
        return _("Writing “%(title)s”") % {"title": title}
    if query:
        return _("Looking for “%(query)s” in your documents") % {"query": query}
    plain = {
        "read": _("Reading a document"),
        "list": _("Listing your documents"),
        "update": _("Changing a document"),
        "delete": _("Deleting a document"),
    }
    return plain.get(action) or _("Working with your documents")


def _other(name: str, arguments: Arguments) -> str:
    words = next((value for value in arguments.values() if isinstance(value, str)), "")
    return f"{name} {words}"


_DESCRIBE: dict[str, Callable[[Arguments], str]] = {
    "fetch": _fetch,
    "calculator": _calculator,
    "datetime": _datetime,
    "document": _document,
}
