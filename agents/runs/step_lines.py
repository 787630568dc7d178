"""What a call of each shipped type is called in a sentence, for people.

By the tool's slug, which `migrate` makes of the type's name. A model made these arguments up: each
may be missing or of any type. What may be secret, such as the key of an HMAC, is not among them.
"""

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _

type Arguments = dict[str, Any]


def _text(arguments: Arguments, name: str) -> str:
    value = arguments.get(name)
    return value if isinstance(value, str) else ""


def _fetch(arguments: Arguments) -> str:
    return _("Fetching %(url)s") % {"url": _text(arguments, "url")}


def _web_search(arguments: Arguments) -> str:
    told = {"query": _text(arguments, "query"), "site": _text(arguments, "site")}
    if told["site"]:
        return _("Searching %(site)s for “%(query)s”") % told
    return _("Searching the web for “%(query)s”") % told


def _calculator(arguments: Arguments) -> str:
    return _("Calculating %(expression)s") % {"expression": _text(arguments, "expression")}


def _datetime(arguments: Arguments) -> str:
    text = _text(arguments, "text")
    return _("Working out “%(text)s”") % {"text": text} if text else _("Working out a date or time")


def _unit_convert(arguments: Arguments) -> str:
    value = arguments.get("value")
    told = {
        "value": value if isinstance(value, str | int | float) else "",
        "from": _text(arguments, "from"),
        "to": _text(arguments, "to"),
    }
    return _("Converting %(value)s %(from)s to %(to)s") % told


def _json_query(arguments: Arguments) -> str:
    return _("Looking up %(expression)s in data") % {"expression": _text(arguments, "expression")}


def _table_query(_arguments: Arguments) -> str:
    return _("Working through a table")


def _template(_arguments: Arguments) -> str:
    return _("Filling in a template")


def _send_message(arguments: Arguments) -> str:
    return _("Writing a message: “%(text)s”") % {"text": _text(arguments, "text")}


def _memory_capture(arguments: Arguments) -> str:
    return _("Suggesting to remember: “%(text)s”") % {"text": _text(arguments, "text")}


def _memory_search(arguments: Arguments) -> str:
    query = _text(arguments, "query")
    return _("Recalling “%(query)s”") % {"query": query} if query else _("Recalling memories")


def _text_tool(arguments: Arguments) -> str:
    lines = {
        "count": _("Counting words and characters"),
        "extract": _("Looking for matches in a text"),
        "replace": _("Replacing in a text"),
        "split": _("Splitting a text"),
        "diff": _("Comparing two texts"),
        "case": _("Changing upper and lower case"),
        "dedupe": _("Removing repeated lines"),
    }
    return lines.get(_text(arguments, "operation")) or _("Working on a text")


def _encode(arguments: Arguments) -> str:
    operation = _text(arguments, "operation")
    lines = {
        "hash": _("Computing a hash"),
        "hmac": _("Computing a keyed hash"),
        **dict.fromkeys(("uuid4", "uuid5", "uuid7"), _("Making a UUID")),
    }
    if operation.endswith("_encode"):
        return _("Encoding as %(form)s") % {"form": operation.removesuffix("_encode")}
    if operation.endswith("_decode"):
        return _("Decoding %(form)s") % {"form": operation.removesuffix("_decode")}
    return lines.get(operation) or _("Encoding or decoding")


def _random(arguments: Arguments) -> str:
    lines = {
        "choice": _("Choosing at random"),
        "sample": _("Drawing at random"),
        "shuffle": _("Shuffling"),
        "integers": _("Drawing random numbers"),
        "floats": _("Drawing random numbers"),
        "dice": _("Rolling dice"),
    }
    return lines.get(_text(arguments, "operation")) or _("Drawing at random")


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


def _knowledge_search(arguments: Arguments) -> str:
    query = _text(arguments, "query")
    if query:
        return _("Looking for “%(query)s” in your knowledge spaces") % {"query": query}
    return _("Searching your knowledge spaces")


def _knowledge_resource(arguments: Arguments) -> str:
    query = _text(arguments, "query")
    if query:
        return _("Looking for the file “%(query)s”") % {"query": query}
    return _("Looking for a file")


STEP_LINES: dict[str, Callable[[Arguments], str]] = {
    "calculator": _calculator,
    "datetime": _datetime,
    "document": _document,
    "encode": _encode,
    "fetch": _fetch,
    "json_query": _json_query,
    "memory_capture": _memory_capture,
    "knowledge_resource": _knowledge_resource,
    "knowledge_search": _knowledge_search,
    "memory_search": _memory_search,
    "random": _random,
    "send_message": _send_message,
    "table_query": _table_query,
    "template": _template,
    "text": _text_tool,
    "unit_convert": _unit_convert,
    "web_search": _web_search,
}
