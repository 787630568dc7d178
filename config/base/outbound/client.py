"""The one HTTP client for everything that leaves on an agent's behalf.

Each hop is parsed, judged and dialled anew. Nothing of the environment is used: no proxy
variables, no netrc, no cookies, no connection that an earlier call left open.
"""

import ssl
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

import httpcore
from django.utils.translation import gettext as _

from config.base.errors import GatehouseError
from config.base.outbound.backend import JudgedBackend
from config.base.outbound.body import IsEnough, read_body
from config.base.outbound.deadline import Deadline
from config.base.outbound.errors import (
    AddressRefused,
    ConnectFailed,
    OutboundError,
    ResponseInvalid,
    TooManyRedirects,
)
from config.base.outbound.hops import Hop, OutboundRequest, first_hop, next_hop, wire_request
from config.base.outbound.hosts import IPAddress
from config.base.outbound.network import Network, current_network
from config.base.outbound.policy import OutboundPolicy
from config.base.outbound.protected import Endpoint, Protection, protected_endpoints
from config.base.outbound.urls import ParsedUrl
from config.base.transactions import release_connection

REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboundResponse:
    """`headers` have lower-case names; `content` is decoded (not yet text) and cut at the limit."""

    url: ParsedUrl
    status_code: int
    headers: tuple[tuple[str, str], ...]
    content: bytes
    truncated: bool
    hops: tuple[ParsedUrl, ...]  # the URLs before the last
    warnings: tuple[str, ...] = ()

    def header(self, name: str) -> str:
        """The first of this name, or ""."""
        return next((value for key, value in self.headers if key == name), "")


type JudgeHop = Callable[[Hop], None]  # raises to refuse the hop
# Status and headers of the answer, before its body: who reads along, so that a stream need not end.
type WatchBody = Callable[[int, tuple[tuple[str, str], ...]], IsEnough | None]


@cache
def trusted_authorities() -> ssl.SSLContext:
    """The system's (SSL_CERT_FILE is an operator's way to add one) and certifi's."""
    return httpcore.default_ssl_context()


class OutboundClient:
    """Raises `OutboundError`, with a code for each reason."""

    def __init__(
        self,
        policy: OutboundPolicy,
        *,
        network: Network | None = None,
        protected: Iterable[Endpoint] | None = None,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._policy = policy
        self._network = network or current_network()
        self._protected = protected_endpoints() if protected is None else frozenset(protected)
        self._ssl_context = ssl_context

    def send(
        self,
        request: OutboundRequest,
        deadline: Deadline,
        judge_hop: JudgeHop | None = None,
        watch_body: WatchBody | None = None,
    ) -> OutboundResponse:
        """Follows redirects. A status that is no 2xx is an answer like any other.

        An error after a hop has been answered says `request_sent` too: what went wrong with a later
        hop does not undo what the first one delivered.
        """
        visited: list[ParsedUrl] = []
        try:
            return self._follow(first_hop(request), deadline, judge_hop, watch_body, visited)
        except GatehouseError as error:
            if visited:
                error.details["request_sent"] = True
            raise

    def _follow(
        self,
        hop: Hop,
        deadline: Deadline,
        judge_hop: JudgeHop | None,
        watch_body: WatchBody | None,
        visited: list[ParsedUrl],
    ) -> OutboundResponse:
        while True:
            self._check(hop, deadline, judge_hop)
            with self._exchange(hop, deadline) as (response, headers):
                location = _location(response.status, headers)
                if not location:
                    watch = watch_body(response.status, headers) if watch_body else None
                    return self._read(hop.url, response, headers, visited, watch)
            visited.append(hop.url)
            if len(visited) > self._policy.max_redirects:
                raise TooManyRedirects(_("There were too many redirects (max_redirects)."))
            hop = next_hop(hop, response.status, location)

    def _check(self, hop: Hop, deadline: Deadline, judge_hop: JudgeHop | None) -> None:
        self._policy.check_url(hop.url)
        protection = self._protection(deadline)
        if protection.covers_name(hop.url.host, hop.url.port):
            raise _protected_error(hop.url)
        if judge_hop is not None:
            judge_hop(hop)

    def _authorities(self) -> ssl.SSLContext:
        return self._ssl_context or trusted_authorities()

    def _protection(self, deadline: Deadline) -> Protection:
        return Protection(self._protected, self._network.lookup, deadline)

    @contextmanager
    def _exchange(
        self, hop: Hop, deadline: Deadline
    ) -> Iterator[tuple[httpcore.Response, tuple[tuple[str, str], ...]]]:
        """Sends one request on a connection of its own, which is closed at the end.

        What waits for a peer holds no connection to the database: there are fewer of those than
        there may be calls at once.
        """

        def judge(address: IPAddress) -> None:
            self._policy.check_address(address, hop.url)
            if self._protection(deadline).covers(address, hop.url.port):
                raise _protected_error(hop.url)

        backend = JudgedBackend(hop.url, self._network, judge, deadline)
        request = wire_request(hop)
        connection = httpcore.HTTPConnection(
            request.url.origin,
            ssl_context=self._authorities() if hop.url.scheme == "https" else None,
            network_backend=backend,
        )
        release_connection()
        try:
            with _translated_errors(hop.url):
                response = connection.handle_request(request)
                backend.expect_body(self._policy.max_response_bytes)
                yield response, _text_headers(response.headers)
        except OutboundError as error:
            error.details.setdefault("request_sent", backend.request_sent)
            raise
        finally:
            connection.close()

    def _read(
        self,
        url: ParsedUrl,
        response: httpcore.Response,
        headers: tuple[tuple[str, str], ...],
        visited: list[ParsedUrl],
        is_enough: IsEnough | None,
    ) -> OutboundResponse:
        encoding = ", ".join(value for name, value in headers if name == "content-encoding")
        limit = self._policy.max_response_bytes
        body = read_body(response.iter_stream(), encoding, limit, is_enough)
        warnings = []
        if body.truncated:
            warnings.append(
                _("The body was cut after %(limit)d bytes (max_response_bytes).") % {"limit": limit}
            )
        if body.incomplete:
            warnings.append(_("The compressed body ended early; what was decoded is given."))
        return OutboundResponse(
            url=url,
            status_code=response.status,
            headers=headers,
            content=body.content,
            truncated=body.truncated or body.incomplete,
            hops=tuple(visited),
            warnings=tuple(warnings),
        )


def _text_headers(raw: Iterable[tuple[bytes, bytes]]) -> tuple[tuple[str, str], ...]:
    return tuple((name.decode("latin-1").lower(), _header_text(value)) for name, value in raw)


def _header_text(value: bytes) -> str:
    """UTF-8 where it is, as servers send it in Location; bytes as letters where it is not."""
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _location(status: int, headers: tuple[tuple[str, str], ...]) -> str:
    if status not in REDIRECTS:
        return ""
    return next((value for name, value in headers if name == "location"), "")


@contextmanager
def _translated_errors(url: ParsedUrl) -> Iterator[None]:
    try:
        yield
    except (httpcore.ProtocolError, httpcore.ReadError):
        raise ResponseInvalid(
            _("%(host)s broke off, or its answer is not valid HTTP.") % {"host": url.netloc}
        ) from None
    except httpcore.NetworkError:
        raise ConnectFailed(
            _("The connection to %(host)s failed.") % {"host": url.netloc}
        ) from None


def _protected_error(url: ParsedUrl) -> AddressRefused:
    return AddressRefused(
        _("%(host)s is an address of Gatehouse itself; no setting opens it.") % {"host": url.netloc}
    )
