"""A server as an operator wrote it down, and how it may be reached."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from django.utils.translation import gettext as _
from pydantic import TypeAdapter, ValidationError

from config.base.errors import InvalidInput
from config.base.outbound.addresses import parse_networks
from config.base.outbound.errors import HeaderNotAllowed, OutboundError
from config.base.outbound.headers import check_headers
from config.base.outbound.hops import Hop
from config.base.outbound.policy import OutboundPolicy
from config.base.outbound.urls import ParsedUrl, parse_url
from tools.secrets.known import is_told_in
from tools.secrets.refs import SecretRef, TextOrSecret
from tools.secrets.use import check_secret, resolve_secret

MAX_BYTES = 256 * 1024
MAX_REDIRECTS = 3
# Set by the protocol, or by Gatehouse for each call.
_OURS = frozenset({"accept", "content-type", "idempotency-key", "last-event-id"})
_HEADERS = TypeAdapter(dict[str, TextOrSecret])


class RedirectNotAllowed(OutboundError):
    """The server redirects to where this was not meant for; it did not go there."""

    code = "redirect_not_allowed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """`headers` name their secrets; they are opened for a call, and for this host only."""

    url: str
    headers: Mapping[str, TextOrSecret] = field(default_factory=dict)
    allowed_private_networks: tuple[str, ...] = ()
    max_response_bytes: int = MAX_BYTES

    def policy(self, max_bytes: int | None = None) -> OutboundPolicy:
        return OutboundPolicy(
            allowed_networks=parse_networks(self.allowed_private_networks),
            max_redirects=MAX_REDIRECTS,
            max_response_bytes=max_bytes or self.max_response_bytes,
        )

    def check(self) -> ParsedUrl:
        """All that can be judged without the network; raises as the client and secrets do."""
        url = parse_url(self.url)
        self.policy().check_url(url)
        for held in self.headers.values():
            if isinstance(held, SecretRef):
                check_secret(held.secret, url.host, scheme=url.scheme)
        return url

    def opened_headers(self) -> dict[str, str]:
        url = parse_url(self.url)
        return {
            name: resolve_secret(held.secret, url.host, scheme=url.scheme)
            if isinstance(held, SecretRef)
            else held
            for name, held in self.headers.items()
        }


def endpoint_from(
    url: str, headers: Mapping[str, Any], allowed_private_networks: Iterable[str]
) -> Endpoint:
    """As an operator gives them. Raises `InvalidInput` and `OutboundRefused`."""
    try:
        texts = _HEADERS.validate_python(headers)
    except ValidationError as error:
        message = _('A header is a text, or {"secret": "name"}.')
        raise InvalidInput(message, fields={"headers": message}) from error
    networks = tuple(allowed_private_networks)
    try:
        parse_networks(networks)
    except ValueError as error:
        message = _("Write 127.0.0.1/32 for one address, 10.0.0.0/8 for many.")
        raise InvalidInput(message, fields={"allowed_private_networks": message}) from error
    return Endpoint(
        url=str(parse_url(url)), headers=checked_headers(texts), allowed_private_networks=networks
    )


def checked_headers(headers: Mapping[str, TextOrSecret]) -> dict[str, TextOrSecret]:
    """With lower-case names. Raises `HeaderNotAllowed`."""
    texts = {name: held if isinstance(held, str) else "" for name, held in headers.items()}
    checked: dict[str, TextOrSecret] = dict(check_headers(texts))
    for name in checked:
        if name in _OURS or name.startswith("mcp-"):
            message = _("The header %(name)s is set by Gatehouse only.")
            raise HeaderNotAllowed(message % {"name": name})
    return checked | {n.lower(): held for n, held in headers.items() if isinstance(held, SecretRef)}


def within_origin(url: ParsedUrl) -> Callable[[Hop], None]:
    """A redirect keeps its method and its origin, and carries no secret."""

    def judge(hop: Hop) -> None:
        if hop.number == 0:
            return
        moved = hop.url.origin != url.origin or hop.method == "GET" or hop.body is None
        if moved or is_told_in(unquote(str(hop.url))):
            message = _("%(host)s redirects to where this was not meant for; it did not go there.")
            raise RedirectNotAllowed(message % {"host": url.netloc})

    return judge
