"""A request and the requests it becomes when it is redirected. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import httpcore
from django.utils.translation import gettext as _

from config.base.outbound.body import OFFERED
from config.base.outbound.errors import UrlInvalid
from config.base.outbound.headers import BASE_HEADERS, BODY_HEADERS, check_headers
from config.base.outbound.urls import ParsedUrl, join_url, parse_url

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboundRequest:
    """`headers` go to the first origin only. `body` is sent as it is; None sends none."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Hop:
    """One request of a call: what a `JudgeHop` sees before anything is looked up."""

    url: ParsedUrl
    method: str
    headers: Mapping[str, str]
    body: bytes | None
    number: int = 0  # of redirects followed so far


def first_hop(request: OutboundRequest) -> Hop:
    """The request as it would leave. Raises `UrlInvalid`, `HeaderNotAllowed` and the like."""
    if request.method not in METHODS:
        raise UrlInvalid(_("The method %(method)r is not known.") % {"method": request.method})
    headers = BASE_HEADERS | check_headers(request.headers)
    return Hop(parse_url(request.url), request.method, headers, request.body)


def next_hop(hop: Hop, status: int, location: str) -> Hop:
    """Where a redirect leads and what is sent there (RFC 9110, 15.4).

    Another origin gets none of the caller's headers, whatever their names: each may be a secret
    of the first one. That includes https to http on the same host.
    """
    url = join_url(hop.url, location)
    headers = dict(hop.headers)
    if url.origin != hop.url.origin:
        kept = BODY_HEADERS if hop.body is not None else frozenset()
        headers = BASE_HEADERS | {name: headers[name] for name in kept & headers.keys()}
    method, body = hop.method, hop.body
    if _becomes_get(status, method):
        method, body = "GET", None
        headers = {name: value for name, value in headers.items() if name not in BODY_HEADERS}
    return Hop(url, method, headers, body, hop.number + 1)


def _becomes_get(status: int, method: str) -> bool:
    if status == 303:
        return method not in ("GET", "HEAD")
    return status in (301, 302) and method == "POST"


def wire_request(hop: Hop) -> httpcore.Request:
    url = hop.url
    headers = {"host": url.netloc, **hop.headers, "accept-encoding": OFFERED, "connection": "close"}
    if hop.body is not None or hop.method in ("POST", "PUT", "PATCH"):
        headers["content-length"] = str(len(hop.body or b""))
    return httpcore.Request(
        hop.method,
        httpcore.URL(
            scheme=url.scheme.encode(),
            host=url.host.encode("ascii"),
            port=url.port,
            target=url.target.encode("ascii"),
        ),
        headers=[
            (name.encode("ascii"), value.encode("latin-1")) for name, value in headers.items()
        ],
        content=hop.body,
    )
