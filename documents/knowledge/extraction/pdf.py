"""PDF, page by page: an answer cites the page. No Django."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pdfminer.converter import PDFPageAggregator
from pdfminer.layout import LAParams, LTContainer, LTImage, LTTextBox, LTTextLine
from pdfminer.pdfdocument import PDFDocument, PDFEncryptionError, PDFPasswordIncorrect
from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager
from pdfminer.pdfpage import PDFPage
from pdfminer.pdfparser import PDFParser

from documents.knowledge.extraction.pieces import (
    BROKEN,
    EMPTY,
    ENCRYPTED,
    SCANNED,
    Bounds,
    Piece,
    bounded,
    refuse,
)

logging.getLogger("pdfminer").setLevel(logging.CRITICAL)


def read_pdf(path: Path, bounds: Bounds) -> tuple[list[Piece], int]:
    """Its pieces, and how many pages it has. Raises `Refused`."""
    with path.open("rb") as file:
        document = _open(file)
        pages = _Pages(document)
        pieces = list(bounded(pages.read(), bounds))
    if not any(piece.text.strip() for piece in pieces):
        refuse(SCANNED if pages.with_picture else EMPTY)
    return pieces, pages.count


def _open(file: Any) -> PDFDocument:
    """One that a password protects opens with the empty one where its author allowed reading."""
    try:
        document = PDFDocument(PDFParser(file))
    except (PDFPasswordIncorrect, PDFEncryptionError):
        refuse(ENCRYPTED)
    if not document.catalog.get("Pages"):
        refuse(BROKEN)
    return document


class _Pages:
    def __init__(self, document: PDFDocument) -> None:
        self.document = document
        self.count = 0
        self.with_picture = 0

    def read(self) -> Iterator[Piece]:
        manager = PDFResourceManager(caching=False)  # fonts of 500 pages are many
        device = PDFPageAggregator(manager, laparams=LAParams())
        interpreter = PDFPageInterpreter(manager, device)
        for number, page in enumerate(PDFPage.create_pages(self.document), start=1):
            self.count = number
            interpreter.process_page(page)
            layout = device.get_result()
            self.with_picture += _has_picture(layout)
            yield Piece(text="\n\n".join(_texts(layout)), page=number)


def _texts(layout: Any) -> Iterator[str]:
    """In the order in which they are read."""
    for box in layout:
        if isinstance(box, LTTextBox | LTTextLine):
            yield box.get_text().strip()


def _has_picture(layout: Any) -> bool:
    return any(
        isinstance(one, LTImage) or (isinstance(one, LTContainer) and _has_picture(one))
        for one in layout
    )
