"""What a file is, by what is in it. Its name only has to agree."""

import re
from pathlib import Path
from zipfile import ZipInfo, is_zipfile

from django.utils.translation import gettext as _

from documents.knowledge.errors import FileRefused
from documents.knowledge.files import archives, media_types
from documents.knowledge.files.encodings import SAMPLE_BYTES, encoding_of

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_HTML_START = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL
)
_TAIL_BYTES = 1024  # where a PDF says that it ends


def detect_type(path: Path, file_name: str) -> str:
    """One of `media_types`. Raises `FileRefused`: empty, unsupported_type, mismatched_type,
    encrypted, broken, zip_bomb.
    """
    found = _by_content(path)
    promised = media_types.promised_by(file_name)
    if promised is None or promised == found:
        return found
    if promised in media_types.TEXTS and found == media_types.TEXT:
        return promised  # plain text is what Markdown is, and a piece of HTML
    raise FileRefused(
        _("Its name says %(promised)s, but it is %(found)s.")
        % {"promised": name_of(promised), "found": name_of(found)},
        code="mismatched_type",
    )


def name_of(media_type: str) -> str:
    names = {
        media_types.PDF: "PDF",
        media_types.DOCX: "Word (DOCX)",
        media_types.PPTX: "PowerPoint (PPTX)",
        media_types.XLSX: "Excel (XLSX)",
        media_types.HTML: "HTML",
        media_types.MARKDOWN: "Markdown",
        media_types.TEXT: _("text"),
    }
    return names.get(media_type, media_type)


def _by_content(path: Path) -> str:
    with path.open("rb") as file:
        head = file.read(SAMPLE_BYTES)
    if not head:
        raise FileRefused(_("The file is empty."), code="empty")
    if head.startswith(b"%PDF-"):
        return _pdf(path)
    if head.startswith(b"PK"):
        return _office(path)
    if head.startswith(_OLE):
        raise _old_office(path)
    return _text(path, head)


def _pdf(path: Path) -> str:
    """It ends as one too, and is no archive on the side."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _TAIL_BYTES))
        ends = b"%%EOF" in file.read()
    if not ends:
        raise FileRefused(
            _("The PDF has no end: it is damaged, or something else follows it."), code="broken"
        )
    _refuse_archive(path)
    return media_types.PDF


def _office(path: Path) -> str:
    try:
        parts = archives.list_parts(path)
    except archives.ZipBomb:
        message = _("Unpacked it would be far too large.")
        raise FileRefused(message, code="zip_bomb") from None
    except archives.ZipEncrypted:
        raise _encrypted() from None
    except archives.ZipBroken:
        raise FileRefused(
            _("The file is damaged, or two kinds of files in one."), code="broken"
        ) from None
    return _kind_of_office(parts)


def _kind_of_office(parts: list[ZipInfo]) -> str:
    names = {part.filename for part in parts}
    kinds = [kind for main, kind in media_types.MAIN_PARTS.items() if main in names]
    if len(kinds) != 1 or "[Content_Types].xml" not in names:
        raise _unsupported()
    if any(name.rpartition("/")[2] == "vbaProject.bin" for name in names):
        raise FileRefused(_("It holds macros. Save it without them."), code="unsupported_type")
    return kinds[0]


def _old_office(path: Path) -> FileRefused:
    """A DOCX with a password is one of these around it."""
    with path.open("rb") as file:
        while piece := file.read(archives.CHUNK_BYTES):
            if _ENCRYPTED_PACKAGE in piece:
                return _encrypted()
    return FileRefused(
        _("Old Office files are not read. Save it as DOCX, PPTX or XLSX."), code="unsupported_type"
    )


def _text(path: Path, head: bytes) -> str:
    encoding = encoding_of(head)
    if encoding is None:
        raise _unsupported()
    _refuse_archive(path)
    text = head.decode(encoding, errors="ignore")
    if not text.strip("\ufeff \t\r\n\f"):
        raise FileRefused(_("The file is empty."), code="empty")
    is_html = _HTML_START.match(text.lstrip("\ufeff")[:4096])
    return media_types.HTML if is_html else media_types.TEXT


def _refuse_archive(path: Path) -> None:
    if is_zipfile(path):
        message = _("It is two kinds of files in one: there is an archive in it, too.")
        raise FileRefused(message, code="mismatched_type")


def _encrypted() -> FileRefused:
    return FileRefused(_("It is protected by a password. Upload it without one."), code="encrypted")


def _unsupported() -> FileRefused:
    kinds = "PDF, DOCX, PPTX, XLSX, HTML, Markdown"
    message = _("Files of this kind are not taken. These are: %(kinds)s, text.") % {"kinds": kinds}
    return FileRefused(message, code="unsupported_type")
