"""The revision as an entity tag (RFC 9110, 8.8.3 and 13.1.1)."""

import re

from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from config.base.errors import PreconditionFailed
from documents.models import Document

_TAG = re.compile(r'"([^"]*)"')


def tag_of(document: Document) -> str:
    return f'"{document.revision}"'


def require_match(request: Request, document: Document) -> int | None:
    """The revision that `If-Match` settles, for the service to hold the row to; None without it.

    Weak tags never match. Raises `PreconditionFailed`.
    """
    header = request.headers.get("If-Match", "").strip()
    if not header:
        return None
    strong = re.sub(r'W/"[^"]*"', "", header)
    if header == "*" or str(document.revision) in _TAG.findall(strong):
        return document.revision
    raise PreconditionFailed(
        _("The document is at revision %(revision)s.") % {"revision": document.revision},
        revision=document.revision,
    )


def with_tag(response: Response, document: Document) -> Response:
    response["ETag"] = tag_of(document)
    return response
