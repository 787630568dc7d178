"""Text in one of five encodings. No Django."""

from pathlib import Path

from documents.knowledge.extraction.pieces import BROKEN, TOO_LONG, Bounds, refuse
from documents.knowledge.files.encodings import encoding_of

_MOST_BYTES = 4  # of one character, in any of them


def read_text(path: Path, bounds: Bounds, *, markup: bool = False) -> str:
    """`markup`: much of it is no text, so it may be longer. Raises `Refused`."""
    most = bounds.characters * (4 if markup else 1)
    if path.stat().st_size > _MOST_BYTES * most:
        refuse(TOO_LONG)
    data = path.read_bytes()
    encoding = encoding_of(data)
    if encoding is None:
        refuse(BROKEN)
    text = data.decode(encoding, errors="replace")
    if len(text) > most:
        refuse(TOO_LONG)
    return text.replace("\r\n", "\n").replace("\r", "\n")
