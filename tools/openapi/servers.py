"""Where an operation is called: its servers, those of its path, or the document's."""

import re
from typing import Any
from urllib.parse import urljoin

from django.utils.translation import gettext as _

from config.base.outbound.errors import OutboundRefused
from config.base.outbound.urls import parse_url
from tools.openapi.document import Document
from tools.openapi.errors import OperationUnusable
from tools.schemas import JSON

_VARIABLE = re.compile(r"\{([^{}]+)\}")


def base_url_of(document: Document, path_item: JSON, operation: JSON, chosen: str = "") -> str:
    """`chosen` by the operator beats what the document says. Raises `OperationUnusable`."""
    url = chosen or _first(document, path_item, operation)
    if document.url:
        url = urljoin(document.url, url)
    try:
        parse_url(url)
    except OutboundRefused as error:
        raise OperationUnusable(
            "server_unusable",
            _("“%(url)s” is no base URL (%(why)s); give one for all operations.")
            % {"url": url[:100], "why": error.message},
        ) from error
    return url.rstrip("/")


def _first(document: Document, path_item: JSON, operation: JSON) -> str:
    for holder in (operation, path_item, document.root):
        servers = holder.get("servers")
        if isinstance(servers, list) and servers and isinstance(servers[0], dict):
            return _filled(servers[0])
    return "/"


def _filled(server: JSON) -> str:
    """With the defaults of its variables."""
    variables = server.get("variables")

    def default(found: re.Match[str]) -> str:
        variable: Any = variables.get(found[1]) if isinstance(variables, dict) else None
        value = variable.get("default") if isinstance(variable, dict) else None
        return found[0] if value is None else str(value)

    return _VARIABLE.sub(default, str(server.get("url") or "/"))
