"""The revision as an entity tag (RFC 9110, 8.8.3, 13.1.1 and 13.1.2)."""

import re

from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from config.base.errors import PreconditionFailed
from documents.models import Document

_TAG = re.compile(r'(W/)?"([\x21\x23-\x7e\x80-\xff]*)"')
_LIST = re.compile(rf"(?:[\s,]*{_TAG.pattern})+[\s,]*")


def tag_of(document: Document) -> str:
    return tag_of_revision(document.revision)


def tag_of_revision(revision: int) -> str:
    return f'"{revision}"'


def require_match(request: Request, document: Document) -> int | None:
    """The revision that `If-Match` settles, for the service to hold the row to; None without it.

    Compared strongly: a weak tag never matches. Raises `PreconditionFailed`.
    """
    header = request.headers.get("If-Match")
    if header is None:
        return None
    strong = [tag for weak, tag in _tags(header) if not weak]
    if header.strip() == "*" or str(document.revision) in strong:
        return document.revision
    raise PreconditionFailed(
        _("The document is at revision %(revision)s.") % {"revision": document.revision},
        revision=document.revision,
    )


def is_known(request: Request, document: Document) -> bool:
    """Whether `If-None-Match` names what there is, compared weakly: then 304 says it all."""
    header = request.headers.get("If-None-Match", "")
    tags = [tag for _weak, tag in _tags(header)]
    return header.strip() == "*" or str(document.revision) in tags


def _tags(header: str) -> list[tuple[str, str]]:
    """Of a well-formed list; anything else names nothing."""
    return _TAG.findall(header) if _LIST.fullmatch(header) else []


def with_tag(response: Response, document: Document) -> Response:
    response["ETag"] = tag_of(document)
    return response
