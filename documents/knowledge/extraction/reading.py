"""What the child calls: a file's text as passages. No Django."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypedDict

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy takes addresses for each thread
os.environ.setdefault("OMP_NUM_THREADS", "1")

from documents.knowledge.extraction.passages import Passage, cut
from documents.knowledge.extraction.pieces import (
    BROKEN,
    EMPTY,
    UNSUPPORTED,
    Bounds,
    Piece,
    refuse,
)
from documents.knowledge.extraction.sections import divide, plain
from documents.knowledge.extraction.texts import read_text
from documents.knowledge.files import media_types
from tools.bounded.failures import Refused

_FORBIDDEN = ("socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn")
_HEADING_LINE = "#"


class Outcome(TypedDict):
    pages: int | None
    passages: list[Passage]


def read_file(path: str, media_type: str, characters: int, pages: int) -> Outcome:
    """Raises `Refused`: broken, empty, encrypted, scanned_no_text, too_long, unsupported, zip_bomb.

    Whatever a library stumbles over is the file's fault; what stops it from outside is told by the
    parent.
    """
    sys.addaudithook(_stay_inside)
    try:
        pieces, count = _read(Path(path), media_type, Bounds(characters=characters, pages=pages))
        passages = cut(pieces)
    except (Refused, MemoryError):
        raise
    except Exception:  # noqa: BLE001 (libraries raise whatever they like on a broken file)
        refuse(BROKEN)
    if not passages:
        refuse(EMPTY)
    return {"pages": count, "passages": passages}


def _stay_inside(event: str, _arguments: Any) -> None:
    """No network, no program: a file may ask for both."""
    if event.startswith(_FORBIDDEN):
        raise PermissionError(event)


def _read(path: Path, media_type: str, bounds: Bounds) -> tuple[Iterable[Piece], int | None]:
    """Each library is imported where it is needed: office files cost a second and 170 MB."""
    if media_type == media_types.PDF:
        from documents.knowledge.extraction.pdf import read_pdf

        return read_pdf(path, bounds)
    if media_type == media_types.PPTX:
        from documents.knowledge.extraction.office import read_pptx

        slides, count = read_pptx(path, bounds)
        return [_titled(slide) for slide in slides], count
    if media_type == media_types.TEXT:
        return [Piece(text=read_text(path, bounds))], None
    return divide(_markdown(path, media_type, bounds)), None


def _markdown(path: Path, media_type: str, bounds: Bounds) -> str:
    if media_type == media_types.MARKDOWN:
        return read_text(path, bounds)
    from documents.knowledge.extraction import office

    if media_type == media_types.HTML:
        return office.read_html(read_text(path, bounds, markup=True), bounds)
    readers = {media_types.DOCX: office.read_docx, media_types.XLSX: office.read_xlsx}
    reader = readers.get(media_type)
    return reader(path, bounds) if reader else refuse(UNSUPPORTED)


def _titled(slide: Piece) -> Piece:
    """The slide's title is its heading."""
    first = slide.text.partition("\n")[0]
    heading = plain(first.lstrip("#")) if first.startswith(_HEADING_LINE) else ""
    return Piece(text=slide.text, page=slide.page, heading=heading)
