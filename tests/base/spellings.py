"""Addresses as people, parsers and attackers write them."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network

from hypothesis import strategies as st

from config.base.outbound.addresses import REFUSED_IPV4

INSIDE_IPV4 = st.sampled_from(REFUSED_IPV4).flatmap(
    lambda network: st.integers(int(network[0]), int(network[-1])).map(IPv4Address)
)
ANY_IPV4 = st.integers(0, 2**32 - 1).map(IPv4Address)
INSIDE_IPV6_NETWORKS = [
    IPv6Network(network)
    for network in ("::/128", "::1/128", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
                    "100::/64", "2001:db8::/32", "2001::/32", "5f00::/16", "64:ff9b:1::/48")
]  # fmt: skip
INSIDE_IPV6 = st.sampled_from(INSIDE_IPV6_NETWORKS).flatmap(
    lambda network: st.integers(int(network[0]), int(network[-1])).map(IPv6Address)
)
# One code point that IDNA maps to each digit, letter or dot.
ALIKE = {
    **{str(digit): [chr(0xFF10 + digit), chr(0x1D7CE + digit)] for digit in range(10)},
    "x": ["ｘ", "Ⓧ", "X"],
    ".": ["。", "．", "｡"],
    "1": ["¹", "①", "１"],
    "2": ["²", "②", "２"],
}


def number_spellings(number: int) -> st.SearchStrategy[str]:
    """Decimal, octal and hexadecimal, with the zeros in front that parsers let pass."""
    zeros = st.integers(0, 6).map(lambda count: "0" * count)
    return st.one_of(
        st.just(str(number)),
        zeros.map(lambda pad: f"0{pad}{number:o}"),
        st.tuples(st.sampled_from(["0x", "0X"]), zeros, st.sampled_from(["x", "X"])).map(
            lambda parts: f"{parts[0]}{parts[1]}{format(number, parts[2])}"
        ),
    )


@st.composite
def ipv4_spellings(draw: st.DrawFn, address: IPv4Address) -> str:
    """One to four numbers, each in its own base, perhaps with a dot behind."""
    octets = list(address.packed)
    count = draw(st.integers(1, 4))
    tail = int.from_bytes(bytes(octets[count - 1 :]))
    parts = [draw(number_spellings(part)) for part in [*octets[: count - 1], tail]]
    return ".".join(parts) + draw(st.sampled_from(["", "", "."]))


@st.composite
def look_alikes(draw: st.DrawFn, text: str) -> str:
    """The same after Unicode's compatibility mapping, which every IDNA parser applies."""
    letters = [draw(st.sampled_from([letter, *ALIKE.get(letter, [])])) for letter in text]
    return "".join(letters)


def percent_encoded(text: str) -> st.SearchStrategy[str]:
    return st.lists(st.booleans(), min_size=len(text), max_size=len(text)).map(
        lambda chosen: "".join(
            f"%{ord(letter):02x}" if hide else letter
            for letter, hide in zip(text, chosen, strict=True)
        )
    )


def ipv6_of(address: IPv4Address) -> st.SearchStrategy[IPv6Address]:
    """Every way to put an IPv4 address into an IPv6 one that some machine understands."""
    inner = int(address)
    mapped, nat64, local_nat64 = "::ffff:0:0", "64:ff9b::", "64:ff9b:1::"
    siit, compatible, isatap = "::ffff:0:0:0", "::", "fe80::5efe:0:0"
    low = [int(IPv6Address(text)) | inner
           for text in (mapped, nat64, local_nat64, siit, compatible, isatap)]  # fmt: skip
    six_to_four = (0x2002 << 112) | (inner << 80)
    teredo = (0x2001 << 112) | (inner ^ 0xFFFFFFFF)
    return st.sampled_from([*low, six_to_four, six_to_four | 1, teredo]).map(IPv6Address)


@st.composite
def ipv6_spellings(draw: st.DrawFn, address: IPv6Address) -> str:
    """In brackets: short, long, in capitals, or with its end as an IPv4 address."""
    dotted = IPv4Address(int(address) & 0xFFFFFFFF)
    text = draw(
        st.sampled_from(
            [
                address.compressed,
                address.exploded,
                address.exploded.upper(),
                f"{address.exploded[:30]}{dotted}",
            ]
        )
    )
    return f"[{text}]"


def spelt_inside() -> st.SearchStrategy[str]:
    """The host of a URL that leads to an address which is not public."""
    ipv4 = INSIDE_IPV4.flatmap(ipv4_spellings)
    embedded = INSIDE_IPV4.flatmap(ipv6_of)
    return st.one_of(
        ipv4,
        ipv4.flatmap(look_alikes),
        st.one_of(embedded, INSIDE_IPV6).flatmap(ipv6_spellings),
    )
