"""What comes out of a file, before it is cut into passages. No Django."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Never

from tools.bounded.failures import Refused

BROKEN, EMPTY, ENCRYPTED = "broken", "empty", "encrypted"
SCANNED, TOO_LONG, UNSUPPORTED, ZIP_BOMB = "scanned_no_text", "too_long", "unsupported", "zip_bomb"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of text on one page below one heading."""

    text: str
    page: int | None = None
    heading: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    characters: int
    pages: int


def refuse(code: str) -> Never:
    raise Refused(code)


def bounded(pieces: Iterator[Piece], bounds: Bounds) -> Iterator[Piece]:
    """Raises `Refused`: too_long, as soon as it is."""
    total = 0
    for piece in pieces:
        total += len(piece.text)
        if total > bounds.characters or (piece.page or 0) > bounds.pages:
            refuse(TOO_LONG)
        yield piece
