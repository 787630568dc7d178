"""Pieces cut into passages of about a thousand characters, between paragraphs. No Django."""

import re
from collections.abc import Iterable, Iterator
from typing import TypedDict

from documents.knowledge.extraction.pieces import Piece

USUAL_CHARS = 1_000  # of letters; half as many of Chinese, which say as much
MOST = 1.5  # times that: a paragraph is not divided for less
HEADING_CHARS = 300

_WIDE = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]")
_WIDE_SHARE = 0.3
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n\s*")
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n")


class Passage(TypedDict):
    page: int | None
    heading: str
    text: str
    start: int  # in all that was read


def cut(pieces: Iterable[Piece]) -> list[Passage]:
    passages: list[Passage] = []
    offset = 0
    for piece in pieces:
        text = _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", piece.text)
        for start, end in _spans(text):
            passages.append(
                Passage(
                    page=piece.page,
                    heading=_cut_heading(piece.heading),
                    text=text[start:end],
                    start=offset + start,
                )
            )
        offset += len(text) + 1
    return passages


def _cut_heading(heading: str) -> str:
    clean = _UNSTORABLE.sub("", heading)
    return clean if len(clean) <= HEADING_CHARS else f"…{clean[-HEADING_CHARS + 1 :]}"


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Of passages, without the blanks around them."""
    usual = _usual_for(text)
    begin = end = 0
    for start, stop in _units(text, usual):
        if end > begin and stop - begin > usual:
            yield from _trimmed(text, begin, end)
            begin = start
        end = stop
    yield from _trimmed(text, begin, end)


def _usual_for(text: str) -> int:
    wide = len(_WIDE.findall(text))
    return USUAL_CHARS // 2 if wide > _WIDE_SHARE * len(text) else USUAL_CHARS


def _units(text: str, usual: int) -> Iterator[tuple[int, int]]:
    """Paragraphs; a long one in sentences, a long one of these as it comes."""
    for start, stop in _between(_PARAGRAPH_END, text, 0, len(text)):
        if stop - start <= usual * MOST:
            yield start, stop
            continue
        for first, last in _between(_SENTENCE_END, text, start, stop):
            for at in range(first, last, usual):
                yield at, min(at + usual, last)


def _between(
    border: re.Pattern[str], text: str, start: int, stop: int
) -> Iterator[tuple[int, int]]:
    """What follows a border belongs to the next; nothing is left out."""
    at = start
    for found in border.finditer(text, start, stop):
        if found.end() > at:
            yield at, found.end()
            at = found.end()
    if at < stop:
        yield at, stop


def _trimmed(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    part = text[start:stop]
    bare = part.strip()
    if bare:
        first = start + len(part) - len(part.lstrip())
        yield first, first + len(bare)
