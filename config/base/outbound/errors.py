"""Why a request did not leave, or brought nothing back. Each reason has a code of its own."""

from config.base.errors import GatehouseError


class OutboundError(GatehouseError):
    """The request to the outside failed.

    `details["request_sent"]` is true when bytes of it may have reached the peer.
    """

    code = "outbound_error"
    http_status = 502


class OutboundRefused(OutboundError):
    """We don't send this request."""

    http_status = 400


class UrlInvalid(OutboundRefused):
    """This is not a URL that can be fetched."""

    code = "url_invalid"


class SchemeNotAllowed(OutboundRefused):
    """Only http and https URLs are fetched."""

    code = "scheme_not_allowed"


class DomainNotAllowed(OutboundRefused):
    """This host is not among the allowed ones."""

    code = "domain_not_allowed"


class DomainBlocked(OutboundRefused):
    """This host is blocked."""

    code = "domain_blocked"


class AddressRefused(OutboundRefused):
    """This host leads to an address that is not dialled."""

    code = "address_refused"


class HeaderNotAllowed(OutboundRefused):
    """This header can't be set."""

    code = "header_not_allowed"


class TooManyRedirects(OutboundError):
    """There were too many redirects."""

    code = "too_many_redirects"


class DnsFailed(OutboundError):
    """The host's name can't be resolved."""

    code = "dns_failed"
    retryable = True


class ConnectFailed(OutboundError):
    """The host can't be reached."""

    code = "connect_failed"
    retryable = True


class TlsFailed(OutboundError):
    """There is no trusted TLS connection to the host."""

    code = "tls_failed"


class OutboundTimeout(OutboundError):
    """The call did not end in time."""

    code = "timeout"
    http_status = 504
    retryable = True


class ResponseInvalid(OutboundError):
    """The answer is not valid HTTP, or it broke off."""

    code = "response_invalid"


# What any call through the client may come to; lists of hosts have codes of their own beside.
CODES = (
    "address_refused, connect_failed, dns_failed, header_not_allowed, response_invalid, "
    "scheme_not_allowed, timeout, tls_failed, too_many_redirects, url_invalid"
)
