"""One line about a call for people: the tool and what it is about, nothing long."""

from typing import Any

_TELLING = ("url", "expression", "title", "q", "id", "text", "operation")
_MAX_LENGTH = 120


def describe_call(name: str, arguments: dict[str, Any] | None) -> str:
    """`fetch http://example.com/`, `document create Notes`."""
    given = arguments or {}
    words = [name]
    if isinstance(given.get("action"), str):
        words.append(given["action"])
    telling = next((given[key] for key in _TELLING if isinstance(given.get(key), str)), "")
    line = " ".join(" ".join([*words, telling]).split())
    return line if len(line) <= _MAX_LENGTH else line[: _MAX_LENGTH - 1] + "…"
