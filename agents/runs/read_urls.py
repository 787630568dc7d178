"""The URLs that stand in what a run has read."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from agents.models import RunStep
from tools.reach import any_spelled

URL = re.compile(r"https?://[^\s<>\"'\\]+")
_ENDS = ")]}>.,;:!?*_|"


class ReadUrls:
    """Asked for one URL, looks through everything anew: results are still being added.

    A model's own words don't count, in whatever turn it said them: it could say any URL first.
    """

    def __init__(self, steps: Sequence[RunStep]) -> None:
        self._steps = steps

    def __call__(self, url: str) -> bool:
        return any_spelled(url, self._all())

    def _all(self) -> Iterator[str]:
        texts = (text for step in self._steps for text in _strings(list(step.results.values())))
        for found in (one for text in texts for one in URL.findall(text)):
            yield found
            yield found.rstrip(_ENDS)
            yield from _cut_at_brackets(found)


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
