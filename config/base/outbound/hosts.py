"""Hosts: one spelling for each, so that check, look-up, Host header and TLS mean the same one.

Names are lower-case A-labels (UTS 46, non-transitional) without a trailing dot. Addresses are
recognised in every notation that the URL standard accepts: `127.1`, `0x7f.1` and `2130706433` are
127.0.0.1, as they are for the C resolver.
"""

import ipaddress
import re
from dataclasses import dataclass

import idna
from django.utils.translation import gettext as _

from config.base.outbound.errors import UrlInvalid

type IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

MAX_HOST_LENGTH = 253
MAX_TYPED_HOST_LENGTH = 1000  # before mapping; keeps the IDNA tables off megabytes of text
LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)
NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Host:
    """A normalised host. `name` of an IPv6 address stands without brackets."""

    name: str
    address: IPAddress | None = None

    @property
    def in_url(self) -> str:
        return f"[{self.name}]" if ":" in self.name else self.name


def parse_host(text: str) -> Host:
    """Raises `UrlInvalid`."""
    if text.startswith("["):
        return _parse_ipv6(text)
    if "%" in text or len(text) > MAX_TYPED_HOST_LENGTH:
        raise UrlInvalid(_("The host of the URL is not valid."))
    name = _to_ascii(text).removesuffix(".")
    if NUMBER.fullmatch(name.rpartition(".")[2]):
        address = _parse_ipv4(name)
        return Host(str(address), address)
    if len(name) > MAX_HOST_LENGTH or not all(map(LABEL.fullmatch, name.split("."))):
        raise UrlInvalid(_("The host of the URL is not valid."))
    return Host(name)


def _to_ascii(text: str) -> str:
    if text.isascii():
        labels = text.lower().split(".")
    else:
        try:
            mapped = idna.uts46_remap(text, std3_rules=False, transitional=False)
        except idna.IDNAError:
            raise UrlInvalid(_("The host of the URL is not a valid domain name.")) from None
        labels = mapped.split(".")
    return ".".join(map(_label_to_ascii, labels))


def _label_to_ascii(label: str) -> str:
    # Plain labels are left alone: IDNA refuses "_" and "r3---sn", which DNS has.
    if label.isascii() and not label.startswith("xn--"):
        return label
    try:
        if label.isascii():
            idna.ulabel(label)
            return label
        return idna.alabel(label).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        raise UrlInvalid(_("The host of the URL is not a valid domain name.")) from None


def _parse_ipv6(text: str) -> Host:
    if not text.endswith("]") or "%" in text:
        raise UrlInvalid(_("The IPv6 address in the URL is not valid."))
    try:
        address = ipaddress.IPv6Address(text[1:-1])
    except ValueError:
        raise UrlInvalid(_("The IPv6 address in the URL is not valid.")) from None
    return Host(str(address), address)


def _parse_ipv4(name: str) -> ipaddress.IPv4Address:
    """The URL standard's IPv4 parser: one to four numbers, the last fills what is left."""
    parts = name.split(".")
    if len(parts) > 4 or not all(map(NUMBER.fullmatch, parts)):
        raise UrlInvalid(_("The host of the URL ends in a number but is no IPv4 address."))
    *heads, tail = [_parse_number(part) for part in parts]
    if any(head > 255 for head in heads) or tail >= 256 ** (4 - len(heads)):
        raise UrlInvalid(_("The host of the URL ends in a number but is no IPv4 address."))
    value = tail + sum(head << 8 * (3 - index) for index, head in enumerate(heads))
    return ipaddress.IPv4Address(value)


def _parse_number(text: str) -> int:
    if len(text) > 40:  # longer than any padded form that is meant seriously
        raise UrlInvalid(_("The host of the URL ends in a number but is no IPv4 address."))
    try:
        if text.startswith("0x"):
            return int(text[2:] or "0", 16)
        return int(text, 8 if text.startswith("0") else 10)
    except ValueError:  # an 8 or 9 in an octal number
        raise UrlInvalid(
            _("The host of the URL ends in a number but is no IPv4 address.")
        ) from None
