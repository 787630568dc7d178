"""What one caller of the client may reach. Pure: no look-up, no dialling."""

from dataclasses import dataclass
from ipaddress import ip_network

from django.utils.translation import gettext as _

from config.base.outbound.addresses import IPNetwork, inner_address, is_opened, is_public
from config.base.outbound.domains import parse_domains
from config.base.outbound.errors import AddressRefused, DomainBlocked, DomainNotAllowed
from config.base.outbound.hosts import IPAddress
from config.base.outbound.urls import ParsedUrl


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboundPolicy:
    """Set by an operator, never by a model. Blocked beats allowed."""

    allowed_domains: tuple[str, ...] = ("*",)
    blocked_domains: tuple[str, ...] = ()
    allowed_networks: tuple[IPNetwork, ...] = ()  # private ones, opened on purpose
    max_redirects: int = 5
    max_response_bytes: int = 102_400

    def check_url(self, url: ParsedUrl) -> None:
        """All that can be judged without the network."""
        if parse_domains(self.blocked_domains).matches(url.host):
            raise DomainBlocked(_("%(host)s is blocked.") % {"host": url.host})
        if not parse_domains(self.allowed_domains).matches(url.host):
            raise _domain_not_allowed(url.host)
        if url.address is not None:
            self.check_address(url.address, url)

    def check_address(self, address: IPAddress, url: ParsedUrl) -> None:
        """Names the host only: where it leads to inside is nobody's business."""
        if not is_public(address) and not is_opened(address, self.allowed_networks):
            raise _address_refused(url.host, address)


def _domain_not_allowed(host: str) -> DomainNotAllowed:
    words = {"host": host}
    error = DomainNotAllowed(
        _("%(host)s is not among the allowed hosts. Ask an operator to add it.") % words
    )
    error.for_operator = (
        _("%(host)s is not among the allowed hosts: add it to allowed_domains.") % words
    )
    return error


def _address_refused(host: str, address: IPAddress) -> AddressRefused:
    words = {"host": host, "network": ip_network(inner_address(address))}
    error = AddressRefused(
        _("%(host)s leads to an address that is not public. Ask an operator to open it.") % words
    )
    error.for_operator = (
        _(
            "%(host)s leads to an address that is not public: add %(network)s to "
            "allowed_private_networks."
        )
        % words
    )
    return error
