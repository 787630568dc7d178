"""A summary for a document that was given none: the beginning of its plain text."""

import re
from collections.abc import Iterator
from functools import lru_cache

from markdown_it.token import Token

from documents.rendering.errors import RenderingTooLong
from documents.rendering.parser import parse
from documents.texts import SUMMARY_LENGTH

_MARKS_PER_CHARACTER = 12  # how much markdown is read for one character of summary
_LEAST_READ = 2_000
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？…]")
_GOOD_PART = 0.6  # a cut before this part of the length loses too much


def make_summary(content: str, length: int = SUMMARY_LENGTH) -> str:
    """At most `length` characters, cut after a sentence or a word where possible."""
    return _summary_of(content[: max(_LEAST_READ, length * _MARKS_PER_CHARACTER)], length)


@lru_cache(maxsize=256)  # a document's page asks on every view
def _summary_of(beginning: str, length: int) -> str:
    return cut_text(plain_text(beginning), length)


def plain_text(markdown: str) -> str:
    """On one line, without markdown's marks."""
    try:
        tokens = parse(markdown)
    except RenderingTooLong:
        return " ".join(markdown.split())
    return " ".join(" ".join(_texts(tokens)).split())


def _texts(tokens: list[Token]) -> Iterator[str]:
    for token in tokens:
        if token.children is not None:
            yield "".join(_inline_text(child) for child in token.children)
        elif token.type in {"fence", "code_block"}:
            yield token.content


def _inline_text(token: Token) -> str:
    if token.type in {"softbreak", "hardbreak"}:
        return " "
    if token.type == "image":
        return "".join(_inline_text(child) for child in token.children or [])
    return token.content


def cut_text(text: str, length: int) -> str:
    if len(text) <= length:
        return text
    head = text[:length]
    least = int(length * _GOOD_PART)
    ends = [match.end() for match in _SENTENCE_END.finditer(text[: length + 1])]
    for end in reversed(ends):
        if least <= end <= length:
            return head[:end]
    if text[length].isspace():
        return head.rstrip()
    word_end = head.rfind(" ")
    return head[:word_end] if word_end >= least else head
