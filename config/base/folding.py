"""Compatibility forms of foreign text, at a bounded cost.

Normalising sorts each run of combining marks by insertion, in one call that holds the GIL: 100,000
marks of two classes in turn take a minute, in which no other thread runs. So the text is cut first,
and no character keeps more marks than any script stacks: then the cost is linear.
"""

import unicodedata

MOST_MARKS = 30  # on one character, as Unicode's stream-safe format has it (UAX 15)


def plain(text: str, most: int) -> str:
    """NFKC of its first `most` characters; it may come out longer, or shorter."""
    cut = text[:most]
    return cut if cut.isascii() else unicodedata.normalize("NFKC", _with_few_marks(cut))


def fold(text: str, most: int) -> str:
    """The same without case, for comparing."""
    return plain(text, most).casefold()


def _with_few_marks(text: str) -> str:
    kept, run = [], 0
    for char in text:
        run = run + 1 if _is_mark(char) else 0
        if run <= MOST_MARKS:
            kept.append(char)
    return "".join(kept)


def _is_mark(char: str) -> bool:
    """Also what only becomes one, as the half-width voiced sound mark (U+FF9E)."""
    if char.isascii():
        return False
    return unicodedata.combining(unicodedata.normalize("NFKD", char)[0]) != 0
