"""Word by word, what differs between two lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from documents.diffing.sequences import Block, Budget, find_blocks

# A word, a single character where words are not set apart by spaces, a run of blanks, or a sign.
_TOKEN = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W\u3040-\u30ff\u3400-\u9fff]+|\s+|."
)
_LEAST_IN_COMMON = 0.3  # of the characters; below it marks would only confuse


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    changed: bool


type Pieces = tuple[Piece, ...]


def tokens_of(line: str) -> list[str]:
    return _TOKEN.findall(line)


def compare_words(left: str, right: str, budget: Budget) -> tuple[Pieces, Pieces]:
    a, b = tokens_of(left), tokens_of(right)
    blocks = [block for block in find_blocks(a, b, budget) if _says_something(block, a, b)]
    common = sum(len("".join(a[block.a : block.a + block.length])) for block in blocks)
    if common < _LEAST_IN_COMMON * max(len(left), len(right)):
        return (Piece(left, True),), (Piece(right, True),)
    ours = [(block.a, block.length) for block in blocks]
    theirs = [(block.b, block.length) for block in blocks]
    return tuple(_pieces(a, ours)), tuple(_pieces(b, theirs))


def _says_something(block: Block, a: list[str], b: list[str]) -> bool:
    """A lone blank or sign between two changes is better read as part of them."""
    at_an_end = (block.a == 0 and block.b == 0) or (
        block.a + block.length == len(a) and block.b + block.length == len(b)
    )
    words = a[block.a : block.a + block.length]
    return at_an_end or any(word[0].isalnum() for word in words)


def _pieces(tokens: list[str], same: list[tuple[int, int]]) -> Iterator[Piece]:
    at = 0
    for start, length in [*same, (len(tokens), 0)]:
        if start > at:
            yield Piece("".join(tokens[at:start]), True)
        if length:
            yield Piece("".join(tokens[start : start + length]), False)
        at = start + length
