"""The only URL parser on the way out: what it gives is judged, looked up, dialled and sent.

It is stricter than browsers where two parsers could read two hosts: no user information, no
backslash, no blank, no control character, exactly two slashes.
"""

import re
import unicodedata
from dataclasses import dataclass, field
from urllib.parse import quote, urljoin

from django.utils.translation import gettext as _

from config.base.outbound.addresses import is_public
from config.base.outbound.errors import (
    AddressRefused,
    OutboundRefused,
    SchemeNotAllowed,
    UrlInvalid,
)
from config.base.outbound.hosts import Host, IPAddress, parse_host

DEFAULT_PORTS = {"http": 80, "https": 443}
MAX_URL_LENGTH = 8192
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):", re.ASCII)
AUTHORITY = re.compile(r"//([^/?#]+)([^?#]*)(\?[^#]*)?(#.*)?", re.ASCII)
PORT = re.compile(r"0*([0-9]{1,5})", re.ASCII)
REFUSED_CATEGORIES = frozenset({"Cc", "Cs", "Zs", "Zl", "Zp"})  # controls, surrogates, blanks
SAFE_IN_TARGET = "/?%!$&'()*+,;=:@-._~[]|^"


@dataclass(frozen=True, slots=True)
class ParsedUrl:
    """A URL in one spelling. `target` is path and query as sent; there is no fragment."""

    scheme: str
    host: str  # normalised; IPv6 without brackets
    port: int
    target: str
    address: IPAddress | None = field(default=None, compare=False)  # when the host is one

    @property
    def origin(self) -> tuple[str, str, int]:
        return self.scheme, self.host, self.port

    @property
    def netloc(self) -> str:
        """Host and, unless it is the scheme's own, port: the Host header."""
        host = Host(self.host).in_url
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.netloc}{self.target}"


def parse_url(text: str) -> ParsedUrl:
    """Raises `UrlInvalid` or `SchemeNotAllowed`."""
    _refuse_odd_characters(text)
    found = SCHEME.match(text)
    if found is None:
        raise UrlInvalid(_("The URL has no scheme; start with https:// or http://."))
    scheme = found[1].lower()
    if scheme not in DEFAULT_PORTS:
        raise SchemeNotAllowed(_("Only http and https URLs are fetched."))
    parts = AUTHORITY.fullmatch(text, found.end())
    if parts is None:
        raise UrlInvalid(_("The URL has no host."))
    host, port = _parse_authority(parts[1], scheme)
    target = quote((parts[2] or "/") + (parts[3] or ""), safe=SAFE_IN_TARGET)
    return ParsedUrl(scheme, host.name, port, target, host.address)


def join_url(base: ParsedUrl, location: str) -> ParsedUrl:
    """Where a Location header leads. Raises as `parse_url` does."""
    _refuse_odd_characters(location)  # before joining, which would silently drop some of them
    if SCHEME.match(location):
        return parse_url(location)
    if location.startswith("//"):
        return parse_url(f"{base.scheme}:{location}")
    return parse_url(urljoin(str(base), location))


def _refuse_odd_characters(text: str) -> None:
    if len(text) > MAX_URL_LENGTH:
        raise UrlInvalid(_("The URL is too long."))
    if "\\" in text:
        raise UrlInvalid(_("The URL has a backslash."))
    if any(unicodedata.category(character) in REFUSED_CATEGORIES for character in text):
        raise UrlInvalid(_("The URL has a blank or a control character."))


def _parse_authority(authority: str, scheme: str) -> tuple[Host, int]:
    if "@" in authority:
        raise _user_information_error(authority.rpartition("@")[2])
    host, port = _split_port(authority)
    if not port:
        return parse_host(host), DEFAULT_PORTS[scheme]
    digits = PORT.fullmatch(port)
    number = int(digits[1]) if digits else 0
    if not 0 < number < 65536:
        raise UrlInvalid(_("The port of the URL is not valid."))
    return parse_host(host), number


def _user_information_error(rest: str) -> OutboundRefused:
    """Where it hides an address that is not public, that is the graver reason."""
    address = parse_host(_split_port(rest)[0]).address
    kind = UrlInvalid if address is None or is_public(address) else AddressRefused
    return kind(_("The URL has a user name or password; leave them out."))


def _split_port(authority: str) -> tuple[str, str]:
    if authority.startswith("["):
        host, bracket, rest = authority.partition("]")
        host += bracket
    else:
        host, colon, rest = authority.partition(":")
        rest = colon + rest
    if rest and not rest.startswith(":"):
        raise UrlInvalid(_("The host of the URL is not valid."))
    return host, rest[1:]
