"""Fetching a document: through the outbound client, as everything that leaves."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from config.base.outbound.addresses import parse_networks
from config.base.outbound.client import OutboundClient
from config.base.outbound.deadline import Deadline
from config.base.outbound.hops import OutboundRequest
from config.base.outbound.policy import OutboundPolicy
from tools.openapi.document import Document, read_document
from tools.openapi.errors import DocumentNotFetched, DocumentTooLarge
from tools.openapi.limits import FETCH_SECONDS, MAX_DOCUMENT_BYTES

_ACCEPTED = "application/json, application/yaml, text/yaml, */*;q=0.1"


def fetch_content(url: str, allowed_private_networks: Iterable[str] = ()) -> tuple[bytes, str]:
    """With the URL that it came from in the end. Raises `OutboundError`, `DocumentNotFetched`,
    `DocumentTooLarge`."""
    policy = OutboundPolicy(
        allowed_networks=parse_networks(allowed_private_networks),
        max_response_bytes=MAX_DOCUMENT_BYTES,
    )
    request = OutboundRequest(url=url, headers={"accept": _ACCEPTED})
    response = OutboundClient(policy).send(request, Deadline.after(FETCH_SECONDS))
    if response.status_code != 200:
        raise DocumentNotFetched(
            _("%(host)s answered %(status)d.")
            % {"host": response.url.netloc, "status": response.status_code}
        )
    if response.truncated:
        raise DocumentTooLarge(
            _("The document is larger than %(limit)d MiB.") % {"limit": MAX_DOCUMENT_BYTES >> 20}
        )
    return response.content, str(response.url)


def fetch_document(url: str, allowed_private_networks: Iterable[str] = ()) -> Document:
    """Raises what `fetch_content` and `read_document` raise."""
    content, found_at = fetch_content(url, allowed_private_networks)
    return read_document(content, found_at)
