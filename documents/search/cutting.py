"""A long text cut into passages of about the same length, at the borders of paragraphs.

Each knows the heading it stands under, so that it is found by that too.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

SIZE = 1_000  # characters of a passage; a few more where a paragraph ends
_LEAST = 300  # characters before a heading begins another passage
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_BREAKS = ("\n", "。", "！", "？", ". ", "! ", "? ", "；", "; ", "，", ", ", " ")
_GOOD_PART = 0.6  # a cut before this part of the size loses too much


@dataclass(frozen=True, slots=True)
class Passage:
    start: int  # in the text, in characters
    end: int
    heading: str  # the nearest one above it, or at its beginning


@dataclass(frozen=True, slots=True)
class _Block:
    start: int
    end: int
    heading: str | None  # what it says, if it is one


def cut(text: str, size: int = SIZE) -> list[Passage]:
    """Together they are the whole text but for blank lines; none is empty."""
    return list(_passages(text, size))


def _passages(text: str, size: int) -> Iterator[Passage]:
    start, end = 0, 0
    heading, above = "", ""  # the last one; the one at the beginning of the passage
    for block in _short_blocks(text, size):
        begins = block.heading is not None and end - start >= min(_LEAST, size)
        if end > start and (begins or block.end - start > size):
            yield Passage(start, end, above)
            start = end
        if block.heading is not None:
            heading = block.heading
        if start == end:
            start, above = block.start, heading
        end = block.end
    if end > start:
        yield Passage(start, end, above)


def _short_blocks(text: str, size: int) -> Iterator[_Block]:
    for block in _blocks(text):
        start = block.start
        while block.end - start > size:
            middle = start + _place_to_cut(text[start : start + size])
            yield _Block(start, middle, block.heading if start == block.start else None)
            start = middle
        yield _Block(start, block.end, block.heading if start == block.start else None)


def _place_to_cut(text: str) -> int:
    """After the last line, sentence or word that ends late enough."""
    least = int(len(text) * _GOOD_PART)
    for mark in _BREAKS:
        found = text.rfind(mark, least)
        if found >= 0:
            return found + len(mark)
    return len(text)


def _blocks(text: str) -> Iterator[_Block]:
    """Paragraphs, headings, and fenced code as a whole."""
    start, at, fence = 0, 0, ""
    for line in text.splitlines(keepends=True):
        bare = line.rstrip("\r\n")
        opened = _FENCE.match(bare)
        if fence:
            fence = "" if opened and opened[1].startswith(fence) else fence
        elif opened:
            fence = opened[1]
        elif not bare.strip() or _HEADING.match(bare):
            if text[start:at].strip():
                yield _Block(start, at, None)
            start = at + len(line)
            if heading := _HEADING.match(bare):
                yield _Block(at, start, " ".join(heading[1].split()))
        at += len(line)
    if text[start:at].strip():
        yield _Block(start, at, None)
