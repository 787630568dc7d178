"""Somebody else's words, as far as they are kept: bounded, on one line, without controls."""

import re
from typing import Any

_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+")


def in_one_line(text: Any, length: int) -> str:
    """ "" for what is no text. Invisible letters, which hide words from a reader, become blanks."""
    if not isinstance(text, str):
        return ""
    told = _BLANKS.sub(" ", text[: 4 * length]).strip()
    return told if len(told) <= length else f"{told[: length - 1]}…"
