"""A content that is longer than a model can take, in parts: each says where the next one begins."""

import unicodedata
from dataclasses import dataclass

from documents.tokens import estimate_tokens

MAX_PART_TOKENS = 64_000  # where no limit is given: half of what most models can take at all
_LONGEST_CLUSTER = 32  # characters looked at for a better place to cut
_JOINERS = frozenset("\u200d\ufe0e\ufe0f\u20e3")  # they belong to the sign before them


@dataclass(frozen=True, slots=True)
class Part:
    text: str
    offset: int
    end: int
    total: int

    @property
    def has_more(self) -> bool:
        return self.end < self.total


def take_part(content: str, offset: int, limit: int | None, longest: int) -> Part:
    """From `offset` on, in characters; nothing where the content has ended before.

    `limit` is held to, but that a character is never parted from its accents. Without one the part
    is as long as a model can take.
    """
    start = min(offset, len(content))
    end = min(len(content), start + (limit or longest))
    if limit is None:
        end = _affordable(content, start, end)
    end = _whole(content, start, end)
    return Part(content[start:end], offset, end, len(content))


def _affordable(content: str, start: int, end: int) -> int:
    cost = estimate_tokens(content[start:end])
    while cost > MAX_PART_TOKENS:
        end = start + max(1, int((end - start) * MAX_PART_TOKENS / cost * 0.98))
        cost = estimate_tokens(content[start:end])
    return end


def _whole(content: str, start: int, end: int) -> int:
    """A little earlier, where the cut would go through what is one sign to a reader."""
    for place in range(end, max(start, end - _LONGEST_CLUSTER), -1):
        if not _joins(content, place):
            return place
    return end


def _joins(content: str, place: int) -> bool:
    """Whether the characters on both sides of this place belong together."""
    if not 0 < place < len(content):
        return False
    before, after = content[place - 1], content[place]
    return (
        after in _JOINERS
        or before == "\u200d"
        or unicodedata.combining(after) > 0
        or "\U0001f3fb" <= after <= "\U0001f3ff"  # the skin of an emoji
        or (before, after) == ("\r", "\n")
    )
