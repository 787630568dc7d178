"""Which addresses are public. Explicit lists: `ipaddress.is_global` lets some of these through.

Sources: IANA special-purpose registries for IPv4 and IPv6 (RFC 6890 and successors), plus the
platform address of one cloud, which is public by registry and private by use.
"""

from collections.abc import Iterable
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

from config.base.outbound.hosts import IPAddress

type IPNetwork = IPv4Network | IPv6Network

REFUSED_IPV4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network; Linux dials loopback for 0.0.0.0
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carrier-grade NAT; some clouds keep their metadata there
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # Azure WireServer
        "169.254.0.0/16",  # link-local, with most metadata services
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # IETF protocol assignments
        "192.0.2.0/24",  # documentation
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarking
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, with the broadcast address
    )
)
# Only global unicast is routed. What lies outside needs no list of its own: unspecified, loopback,
# IPv4-compatible, SIIT, local NAT64, discard, 5f00::/16, unique local, link- and site-local,
# multicast.
GLOBAL_UNICAST = IPv6Network("2000::/3")
REFUSED_IPV6 = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # IETF protocol assignments: Teredo, benchmarking, ORCHID
        "2001:db8::/32",  # documentation
        "3fff::/20",  # documentation
    )
)
NAT64 = IPv6Network("64:ff9b::/96")
SIX_TO_FOUR = IPv6Network("2002::/16")


def parse_networks(texts: Iterable[str]) -> tuple[IPNetwork, ...]:
    """CIDRs or single addresses. Raises `ValueError`, also for bits set behind the prefix."""
    return tuple(ip_network(text.strip()) for text in texts)


def parse_address(text: str) -> IPAddress:
    """An answer of the resolver. Raises `ValueError`."""
    return ip_address(text.partition("%")[0])


def inner_address(address: IPAddress) -> IPAddress:
    """The IPv4 address that an IPv6 one stands for (mapped, NAT64, 6to4), else the same."""
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    if address in SIX_TO_FOUR:
        return IPv4Address((int(address) >> 80) & 0xFFFFFFFF)
    return address


def is_public(address: IPAddress) -> bool:
    inner = inner_address(address)
    if isinstance(inner, IPv4Address):
        return not any(inner in network for network in REFUSED_IPV4)
    return inner in GLOBAL_UNICAST and not any(inner in network for network in REFUSED_IPV6)


def is_opened(address: IPAddress, networks: Iterable[IPNetwork]) -> bool:
    """Whether an operator opened this address, written in whatever form."""
    forms = {address, inner_address(address)}
    return any(form in network for network in networks for form in forms)


def is_loopback(address: IPAddress) -> bool:
    """Whether dialling it reaches this machine: 127/8, ::1, and the unspecified addresses."""
    inner = inner_address(address)
    if isinstance(inner, IPv6Address) and int(inner) >> 32 == 0 and int(inner) > 1:
        inner = IPv4Address(int(inner))  # ::127.0.0.1
    return inner.is_loopback or inner.is_unspecified or inner in REFUSED_IPV4[0]
