"""A document as it was given, from bytes to something that can be looked into."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from tools.bounded.failures import LIMIT, Refused
from tools.bounded.parent import Limits, run_bounded
from tools.openapi.errors import DocumentInvalid, DocumentTooLarge, VersionUnsupported
from tools.openapi.limits import (
    MAX_CHARS,
    MAX_DOCUMENT_BYTES,
    PARSE_MEMORY_MB,
    PARSE_SECONDS,
)
from tools.openapi.words import in_one_line
from tools.schemas import JSON

_VERSIONS = ("3.0", "3.1", "3.2")
_LIMITS = Limits(PARSE_SECONDS, PARSE_MEMORY_MB, 2 * MAX_CHARS)


@dataclass(frozen=True, slots=True)
class Document:
    root: JSON
    url: str  # where it comes from; "" when it was uploaded

    @property
    def title(self) -> str:
        info = self.root.get("info")
        title = in_one_line(info.get("title"), 100) if isinstance(info, dict) else ""
        return title or _("Untitled API")

    @property
    def paths(self) -> JSON:
        paths = self.root.get("paths")
        return paths if isinstance(paths, dict) else {}

    def components(self, kind: str) -> JSON:
        components = self.root.get("components")
        found = components.get(kind) if isinstance(components, dict) else None
        return found if isinstance(found, dict) else {}


def read_document(content: bytes, url: str = "") -> Document:
    """Raises `DocumentInvalid`, `DocumentTooLarge`, `VersionUnsupported`."""
    if len(content) > MAX_DOCUMENT_BYTES:
        raise DocumentTooLarge(
            _("The document is larger than %(limit)d MiB.") % {"limit": MAX_DOCUMENT_BYTES >> 20}
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DocumentInvalid(_("The document is not UTF-8 text.")) from error
    root = _parsed(text)
    if not isinstance(root, dict):
        raise DocumentInvalid(_("The document is no object: an OpenAPI document begins with one."))
    _check_version(root)
    if not isinstance(root.get("paths", {}), dict):
        raise DocumentInvalid(_("The document's paths are no object."))
    return Document(root, url)


def _parsed(text: str) -> Any:
    try:
        return run_bounded("tools.openapi.text:parse", {"text": text}, _LIMITS)
    except Refused as refused:
        if refused.code == LIMIT:
            raise DocumentTooLarge(
                _("The document is too large, nested too deeply, or takes too long to read.")
            ) from refused
        raise DocumentInvalid(
            _("The document is neither JSON nor YAML: %(why)s.") % {"why": refused.detail}
        ) from refused


def _check_version(root: JSON) -> None:
    version = str(root.get("openapi", ""))
    if version[:3] in _VERSIONS:
        return
    if "swagger" in root:
        raise VersionUnsupported(
            _("This is a Swagger 2.0 document. Convert it to OpenAPI 3 and import that.")
        )
    if not version:
        raise DocumentInvalid(_("The document does not say which OpenAPI it is (openapi: 3.1.0)."))
    raise VersionUnsupported(
        _("OpenAPI %(version)s is not known here; 3.0 and 3.1 are.") % {"version": version[:20]}
    )
