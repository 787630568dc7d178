"""Markdown divided at its headings; a line of hashes inside a code block is none. No Django."""

import re
from collections.abc import Iterator

from documents.knowledge.extraction.pieces import Piece

_HEADING = re.compile(r"(#{1,6})[ \t]+(.+?)[ \t#]*$")
_FENCE = re.compile(r"[ ]{0,3}(```|~~~)")
_BETWEEN = " › "
_MARKS = re.compile(r"[*_`]|!?\[([^\]]*)\]\([^)]*\)")


def divide(text: str, page: int | None = None) -> Iterator[Piece]:
    """Each with the headings above it, the highest first; the heading's line stays in the text."""
    above: dict[int, str] = {}
    lines: list[str] = []
    heading, fence = "", ""
    for line in text.split("\n"):
        fence = _fence_after(line, fence)
        found = None if fence else _HEADING.match(line)
        if found:
            yield from _piece(lines, heading, page)
            lines = []
            heading = _below(above, len(found[1]), plain(found[2]))
        lines.append(line)
    yield from _piece(lines, heading, page)


def plain(heading: str) -> str:
    return _MARKS.sub(lambda mark: mark[1] or "", heading).strip()


def _fence_after(line: str, fence: str) -> str:
    found = _FENCE.match(line)
    if not found:
        return fence
    if not fence:
        return found[1]
    return "" if found[1] == fence else fence


def _below(above: dict[int, str], level: int, heading: str) -> str:
    for deeper in [one for one in above if one >= level]:
        del above[deeper]
    above[level] = heading
    return _BETWEEN.join(above[one] for one in sorted(above))


def _piece(lines: list[str], heading: str, page: int | None) -> Iterator[Piece]:
    text = "\n".join(lines)
    if text.strip():
        yield Piece(text=text, heading=heading, page=page)
