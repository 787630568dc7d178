"""The URLs that stand in what a run has read."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any
from urllib.parse import unquote_plus

from agents.models import RunStep
from tools.reach import spelled

URL = re.compile(r"https?://[^\s<>\"'\\]+")
_ENDS = ")]}>.,;:!?*_|"
MOST_URLS = 5_000  # of one result; to read them all again for each call would take minutes


class ReadUrls:
    """Asked for one URL, looks for results that are new: they are still being added.

    A model's own words don't count, in whatever turn it said them: it could say any URL first.
    Nor do they where a tool repeats them: only what came from outside was read, and of that
    nothing that the call itself had said. `derived` are the tools that make a result of what
    they are given.
    """

    def __init__(self, steps: Sequence[RunStep], derived: frozenset[str] = frozenset()) -> None:
        self._steps = steps
        self._derived = derived
        self._known: dict[tuple[int, str], frozenset[str]] = {}

    def __call__(self, url: str) -> bool:
        wanted = spelled(url)
        return bool(wanted) and any(wanted in found for found in self._found())

    def _found(self) -> Iterator[frozenset[str]]:
        for step in self._steps:
            for index, result in list(step.results.items()):
                key = step.n, index
                if key not in self._known:
                    self._known[key] = self._urls_in(step.tool_calls[int(index)], result)
                yield self._known[key]

    def _urls_in(self, call: dict[str, Any], result: dict[str, Any]) -> frozenset[str]:
        if "untrusted" not in result.get("provenance", ()) or call["name"] in self._derived:
            return frozenset()
        told = _said_by_others(call["arguments"] or {}, result)
        return frozenset(map(spelled, islice(told, MOST_URLS)))


def _said_by_others(arguments: dict[str, Any], result: dict[str, Any]) -> Iterator[str]:
    """Without what a server only echoes; the page that was asked for was read."""
    own = arguments.get("url")
    asked = " ".join(_unquoted(text) for text in _strings(arguments) if text != own)
    asked += _query_of(own) if isinstance(own, str) else ""
    for text in _strings(result):
        for url in URL.findall(text):
            for found in {url, url.rstrip(_ENDS), *_cut_at_brackets(url)}:
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
