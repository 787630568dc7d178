"""DOCX, PPTX and XLSX by markitdown's converters, which are named: nothing is guessed. No Django.

A converter of ours is never asked what a file is; plug-ins and everything that asks a network are
not reached.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from markitdown import StreamInfo
from markitdown.converters import DocxConverter, HtmlConverter, PptxConverter, XlsxConverter

from documents.knowledge.extraction.pieces import (
    BROKEN,
    ENCRYPTED,
    TOO_LONG,
    ZIP_BOMB,
    Bounds,
    Piece,
    refuse,
)
from documents.knowledge.files import archives, media_types

_SLIDE = re.compile(r"^<!-- Slide number: (\d+) -->$", re.MULTILINE)
_ENDINGS = {media_types.DOCX: ".docx", media_types.PPTX: ".pptx", media_types.XLSX: ".xlsx"}


def read_docx(path: Path, bounds: Bounds) -> str:
    return _markdown_of(path, media_types.DOCX, DocxConverter(), bounds)


def read_xlsx(path: Path, bounds: Bounds) -> str:
    """A heading for each sheet, its table below; empty cells stay empty."""
    text = _markdown_of(path, media_types.XLSX, XlsxConverter(), bounds)
    return re.sub(r"(?<=\|) NaN (?=\|)", "  ", text)


def read_pptx(path: Path, bounds: Bounds) -> tuple[list[Piece], int]:
    text = _markdown_of(path, media_types.PPTX, PptxConverter(), bounds)
    slides = list(_slides(text))
    return slides, len(slides)


def read_html(markup: str, bounds: Bounds) -> str:
    text = HtmlConverter().convert_string(markup).markdown
    return _judged(text, bounds)


def _markdown_of(
    path: Path,
    media_type: str,
    converter: DocxConverter | PptxConverter | XlsxConverter,
    bounds: Bounds,
) -> str:
    _look_inside(path)
    info = StreamInfo(mimetype=media_type, extension=_ENDINGS[media_type])
    with path.open("rb") as file:
        text = converter.convert(file, info, keep_data_uris=False).markdown
    return _judged(text, bounds)


def _look_inside(path: Path) -> None:
    try:
        archives.list_parts(path)
        archives.unpack_to_nowhere(path)
    except archives.ZipBomb:
        refuse(ZIP_BOMB)
    except archives.ZipEncrypted:
        refuse(ENCRYPTED)
    except archives.ZipBroken:
        refuse(BROKEN)


def _judged(text: str, bounds: Bounds) -> str:
    if len(text) > bounds.characters:
        refuse(TOO_LONG)
    return text


def _slides(text: str) -> Iterator[Piece]:
    """What stands before the first is no slide's."""
    parts = _SLIDE.split(text)[1:]
    for number, body in zip(parts[::2], parts[1::2], strict=True):
        yield Piece(text=body.strip(), page=int(number))
