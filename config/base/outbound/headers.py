"""Request headers: which may be set, and which survive a redirect."""

import re
from collections.abc import Mapping

from django.utils.translation import gettext as _

from config.base.outbound.errors import HeaderNotAllowed

# They frame the message or belong to the connection: set by the client only. Accept-Encoding is
# here because only what we can decode within bounds is offered.
FRAMING = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-length",
        "expect",
        "host",
        "http2-settings",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", re.ASCII)
VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
MAX_HEADERS = 64
MAX_HEADER_LENGTH = 8192
USER_AGENT = "Gatehouse"
BASE_HEADERS = {"user-agent": USER_AGENT, "accept": "*/*"}
BODY_HEADERS = frozenset(
    {"content-type", "content-encoding", "content-language", "content-location", "digest"}
)


def check_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers with lower-case names. Raises `HeaderNotAllowed`."""
    if len(headers) > MAX_HEADERS:
        raise HeaderNotAllowed(_("There are too many headers."))
    checked: dict[str, str] = {}
    for name, value in headers.items():
        lowered = _check_name(name)
        if lowered in checked:
            raise HeaderNotAllowed(_("The header %(name)s is given twice.") % {"name": lowered})
        checked[lowered] = _check_value(lowered, value)
    return checked


def _check_name(name: str) -> str:
    lowered = name.lower()
    if len(name) > MAX_HEADER_LENGTH or not TOKEN.fullmatch(name):
        raise HeaderNotAllowed(_("%(name)r is not a header name.") % {"name": name[:80]})
    if lowered in FRAMING or lowered.startswith("proxy-"):
        raise HeaderNotAllowed(
            _("The header %(name)s is set by Gatehouse only.") % {"name": lowered}
        )
    return lowered


def _check_value(name: str, value: str) -> str:
    if len(value) > MAX_HEADER_LENGTH or not VALUE.fullmatch(value):
        raise HeaderNotAllowed(
            _("The value of the header %(name)s is too long or has characters that a header "
              "can't carry.") % {"name": name}
        )  # fmt: skip
    return value.strip(" \t")
