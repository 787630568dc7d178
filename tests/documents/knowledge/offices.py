"""Office files as the libraries that read them also write them; DOCX by hand, nothing writes it."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

from openpyxl import Workbook
from pptx import Presentation

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_OFFICE = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPES = f"""<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="{_PACKAGE}/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/word/document.xml" ContentType="{_OFFICE}.document.main+xml"/>
<Override PartName="/word/styles.xml" ContentType="{_OFFICE}.styles+xml"/>
</Types>"""
_RELS = f"""<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="{_PACKAGE}/relationships">
<Relationship Id="rId1" Type="{_LINKS}/officeDocument" Target="word/document.xml"/>
</Relationships>"""
_DOCUMENT_RELS = f"""<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="{_PACKAGE}/relationships">
<Relationship Id="rId1" Type="{_LINKS}/styles" Target="styles.xml"/>
</Relationships>"""
_STYLES = f"""<?xml version="1.0" encoding="UTF-8"?>
<w:styles xmlns:w="{_W}">
<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Heading2"><w:name w:val="heading 2"/></w:style></w:styles>"""


def docx(lines: Sequence[str]) -> bytes:
    """A paragraph for each; those that begin with # or ## are headings."""
    return zipped(
        {
            "[Content_Types].xml": _TYPES,
            "_rels/.rels": _RELS,
            "word/_rels/document.xml.rels": _DOCUMENT_RELS,
            "word/styles.xml": _STYLES,
            "word/document.xml": (
                f'<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="{_W}"><w:body>'
                f"{''.join(map(_paragraph, lines))}</w:body></w:document>"
            ),
        }
    )


def _paragraph(line: str) -> str:
    level = len(line) - len(line.lstrip("#"))
    style = f'<w:pPr><w:pStyle w:val="Heading{level}"/></w:pPr>' if level else ""
    text = escape(line.lstrip("# "))
    return f'<w:p>{style}<w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def pptx(slides: Sequence[tuple[str, str]]) -> bytes:
    """Title and text of each."""
    presentation = Presentation()
    for title, text in slides:
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = text
    return _saved(presentation)


def xlsx(sheets: Mapping[str, Sequence[Sequence[object]]]) -> bytes:
    book = Workbook()
    assert book.active is not None
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    return _saved(book)


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def bomb(megabytes: int = 400) -> bytes:
    """A DOCX whose text is zeros: a thousand times as large as its file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", _TYPES)
        with archive.open("word/document.xml", "w") as part:
            for _ in range(megabytes):
                part.write(bytes(1_000_000))
    return out.getvalue()


def _saved(file: object) -> bytes:
    out = io.BytesIO()
    file.save(out)  # type: ignore[attr-defined]  # a presentation or a workbook
    return out.getvalue()
