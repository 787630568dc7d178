"""The URLs that stand in what a run has read."""

import re
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import unquote_plus

from agents.models import RunStep
from tools.reach import any_spelled

URL = re.compile(r"https?://[^\s<>\"'\\]+")
_ENDS = ")]}>.,;:!?*_|"


class ReadUrls:
    """Asked for one URL, looks through everything anew: results are still being added.

    A model's own words don't count, in whatever turn it said them: it could say any URL first.
    Nor do they where a tool repeats them: only what came from outside was read, and of that
    nothing that the call itself had said. `derived` are the tools that make a result of what
    they are given.
    """

    def __init__(self, steps: Sequence[RunStep], derived: frozenset[str] = frozenset()) -> None:
        self._steps = steps
        self._derived = derived

    def __call__(self, url: str) -> bool:
        return any_spelled(url, self._found())

    def _found(self) -> Iterator[str]:
        for step in self._steps:
            for index, result in step.results.items():
                call = step.tool_calls[int(index)]
                if (
                    "untrusted" in result.get("provenance", ())
                    and call["name"] not in self._derived
                ):
                    yield from _said_by_others(call["arguments"] or {}, result)


def _said_by_others(arguments: dict[str, Any], result: dict[str, Any]) -> Iterator[str]:
    """Without what a server only echoes; the page that was asked for was read."""
    own = arguments.get("url")
    asked = " ".join(_unquoted(text) for text in _strings(arguments) if text != own)
    asked += _query_of(own) if isinstance(own, str) else ""
    for text in _strings(result):
        for url in URL.findall(text):
            for found in (url, url.rstrip(_ENDS), *_cut_at_brackets(url)):
                if found not in asked:
                    yield found


def _unquoted(text: str) -> str:
    """However often it was quoted, within reason."""
    return " ".join((text, unquote_plus(text), unquote_plus(unquote_plus(text))))


def _query_of(url: str) -> str:
    """What could be echoed of it: all that comes after its host."""
    return _unquoted(url.partition("://")[2].partition("/")[2])


def _cut_at_brackets(url: str) -> Iterator[str]:
    """As it stands in Markdown: `[text](url)`, `<url>` or `(see url)`."""
    for bracket in ")]":
        head, found, _rest = url.partition(bracket)
        if found:
            yield head


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _strings(list(value.values()))
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
