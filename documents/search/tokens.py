"""What two texts can have in common, in English and Chinese, the same on every database.

Words are brought to their stem, lightly. A run of Chinese, Japanese or Korean gives its characters
and their pairs, since nothing divides its words. A question loses the words in which questions
are asked (`fillers`).
"""

import re
import unicodedata
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from config.base.folding import fold
from documents.search.fillers import CJK_FILLERS, FILLERS, NAMES

MAX_TEXT_CHARS = 20_000  # of a part or a question; more is not looked at
MAX_WORD_CHARS = 64  # a longer one is no word: a key, a line of base64

# Letters of Korean and half-width kana, too: they are such characters, written in pieces.
_CJK = (
    "\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U0003ffff"
)
_PIECE = re.compile(rf"[{_CJK}]+|(?:[^\W_{_CJK}][\u0300-\u036f]*)+")
_IS_CJK = re.compile(f"[{_CJK}]")
# What is one character when it is composed: a syllable of Korean, a kana and its sound mark.
_CLUSTER = re.compile(
    "[\u1100-\u115f][\u1160-\u11a7]?[\u11a8-\u11ff]?|.[\u3099\u309a\uff9e\uff9f]?", re.DOTALL
)
_ENDING = re.compile(r"(?:ing|ed|es|s)$")
_LEAST_STEM = 3
_KEPT_DOUBLE = "lsz"  # as in call, miss, buzz

_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


class Term(NamedTuple):
    term: str
    start: int  # of the word in the text, in characters
    end: int


def find_terms(text: str) -> Iterator[Term]:
    """In the order of the text; characters of a run come before its pairs."""
    for piece in _PIECE.finditer(text[:MAX_TEXT_CHARS]):
        yield from _terms_of_piece(piece.group(), piece.start())


def terms_of(text: str) -> list[str]:
    return [found.term for found in find_terms(text)]


def terms_of_question(text: str) -> dict[str, str]:
    """Each with its word as it was typed; empty where nothing is asked for in particular."""
    asked: dict[str, str] = {}
    for piece in _PIECE.finditer(text[:MAX_TEXT_CHARS]):
        word = piece.group()
        if is_cjk(word):
            for run in filter(None, CJK_FILLERS.split(fold(word, len(word)))):
                for found in _terms_of_piece(run, 0):
                    asked.setdefault(found.term, found.term)
        elif fold(word, len(word)) not in FILLERS or (
            word in NAMES and text[: piece.start()].strip()
        ):
            for found in _terms_of_piece(word, 0):
                asked.setdefault(found.term, word)
    return asked


def date_words(when: datetime) -> str:
    """As people say it: "8 May 2023" and "2023年5月8日"."""
    return f"{when.day} {_MONTHS[when.month - 1]} {when.year} {when:%Y}年{when.month}月{when.day}日"


def is_cjk(text: str) -> bool:
    return _IS_CJK.search(text) is not None


def _terms_of_piece(piece: str, start: int) -> Iterator[Term]:
    if _IS_CJK.match(piece):
        yield from _terms_of_run(piece, start)
    elif len(piece) <= MAX_WORD_CHARS:
        end = start + len(piece)
        for word in _PIECE.findall(fold(piece, MAX_WORD_CHARS)):
            if _IS_CJK.match(word):
                yield from (Term(found.term, start, end) for found in _terms_of_run(word, start))
            else:
                yield Term(stem(word), start, end)


def _terms_of_run(run: str, start: int) -> Iterator[Term]:
    chars = _composed(run, start)
    yield from chars
    for one, other in pairwise(chars):
        yield Term(one.term + other.term, one.start, other.end)


def _composed(run: str, start: int) -> list[Term]:
    if unicodedata.is_normalized("NFKC", run):
        return [Term(char, at, at + 1) for at, char in enumerate(run, start)]
    return [
        Term(char, start + found.start(), start + found.end())
        for found in _CLUSTER.finditer(run)
        for char in fold(found.group(), len(found.group()))
    ]


def stem(word: str) -> str:
    """likes, liked and liking are like; cities is city; planned is plan."""
    if not word.isascii() or len(word) <= _LEAST_STEM:
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    bare = word if word.endswith("ss") else _ENDING.sub("", word)
    if len(bare) < _LEAST_STEM:
        bare = word
    if (
        bare != word
        and bare[-1] == bare[-2]
        and bare[-1].isalpha()
        and bare[-1] not in _KEPT_DOUBLE
    ):
        bare = bare[:-1]
    return bare[:-1] if bare.endswith("e") and len(bare) > _LEAST_STEM else bare
