"""URLs, addresses and domain lists: the pure part. Whole calls: tests/tools/test_fetch_cases.py."""

from ipaddress import ip_address

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config.base.outbound.addresses import is_loopback, is_opened, is_public, parse_networks
from config.base.outbound.domains import parse_domains
from config.base.outbound.errors import OutboundError, SchemeNotAllowed, UrlInvalid
from config.base.outbound.hosts import parse_host
from config.base.outbound.urls import join_url, parse_url


@pytest.mark.parametrize(
    ("text", "spelt"),
    [
        ("http://Example.COM", "http://example.com/"),
        ("https://example.com:443/a?b#c", "https://example.com/a?b"),
        ("https://example.com:80/", "https://example.com:80/"),
        ("http://example.com./", "http://example.com/"),
        ("http://0x7f.1:8080/x", "http://127.0.0.1:8080/x"),
        ("http://[0:0::1]:80", "http://[::1]/"),
        ("http://münchen.example/ü", "http://xn--mnchen-3ya.example/%C3%BC"),
        ('http://example.com/a"<>`{}', "http://example.com/a%22%3C%3E%60%7B%7D"),
    ],
)
def test_it_has_one_spelling_for_each_url(text: str, spelt: str) -> None:
    assert str(parse_url(text)) == spelt
    assert str(parse_url(spelt)) == spelt


@settings(max_examples=60)
@given(st.text(max_size=60).map(lambda text: f"http://{text}"))
def test_it_reads_again_what_it_wrote(text: str) -> None:
    try:
        url = parse_url(text)
    except OutboundError:
        return
    assert parse_url(str(url)) == url
    assert str(url).isascii()
    assert "@" not in url.netloc


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["{}", "0x{:x}", "0{:o}"]))
def test_it_knows_addresses_written_as_one_number(value: int, form: str) -> None:
    assert parse_host(form.format(value)).address == ip_address(value)


@pytest.mark.parametrize(
    ("location", "leads_to"),
    [
        ("next", "https://a.example/dir/next"),
        ("/top?x", "https://a.example/top?x"),
        ("?only", "https://a.example/dir/page?only"),
        ("//b.example/x", "https://b.example/x"),
        ("http://c.example", "http://c.example/"),
        ("../../up", "https://a.example/up"),
        ("#part", "https://a.example/dir/page?q"),
    ],
)
def test_it_follows_locations_as_browsers_do(location: str, leads_to: str) -> None:
    assert str(join_url(parse_url("https://a.example/dir/page?q#f"), location)) == leads_to


def test_it_says_what_is_wrong_with_a_url() -> None:
    with pytest.raises(UrlInvalid, match="no scheme"):
        parse_url("example.com")
    with pytest.raises(SchemeNotAllowed, match="Only http and https"):
        parse_url("ftp://example.com")


@pytest.mark.parametrize(
    ("networks", "address", "expected"),
    [
        (["10.0.0.0/8"], "10.1.2.3", True),
        (["10.0.0.0/8"], "::ffff:10.1.2.3", True),
        (["10.0.0.0/8"], "11.0.0.1", False),
        (["192.168.1.5"], "192.168.1.5", True),
        (["192.168.1.5/32"], "192.168.1.6", False),
        (["fd00::/8"], "fd12::1", True),
        (["fd00::/8"], "10.0.0.1", False),
        ([], "10.0.0.1", False),
    ],
)
def test_it_knows_what_an_operator_opened(
    networks: list[str], address: str, expected: bool
) -> None:
    assert is_opened(ip_address(address), parse_networks(networks)) is expected


@pytest.mark.parametrize("text", ["10.0.0.1/8", "10.0.0.0/33", "example.com", "", "10.0.0.0/8/8"])
def test_it_refuses_what_is_no_network(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_networks([text])


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("0.0.0.0", True),
        ("::", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("::127.0.0.1", True),
        ("10.0.0.1", False),
        ("::2:1:1", False),
        ("8.8.8.8", False),
    ],
)
def test_it_knows_every_form_of_loopback(address: str, expected: bool) -> None:
    assert is_loopback(ip_address(address)) is expected
    assert not (expected and is_public(ip_address(address)))


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1).map(ip_address))
def test_it_calls_no_ipv4_public_that_is_not_global(address: object) -> None:
    plain = ip_address(str(address))
    assert not is_public(plain) or plain.is_global


@pytest.mark.parametrize(
    "pattern",
    [
        "http://example.com", "example.com:80", "example.com/x", "*example.com", "a.*.com", "*.*",
        "", " ", "*.", "**", "*.1.2.3", "*.[::1]", "exa mple.com", "user@example.com",
    ],
)  # fmt: skip
def test_it_refuses_what_is_no_domain_pattern(pattern: str) -> None:
    with pytest.raises(ValueError, match="is not a domain"):
        parse_domains([pattern])


@pytest.mark.parametrize(
    ("pattern", "host", "expected"),
    [
        ("*", "anything.example", True),
        ("example.com", "example.com", True),
        ("*.example.com", "a.example.com", True),
        ("*.example.com", "example.com", False),
        (" Example.com. ", "example.com", True),
        ("::1", "::1", True),
        ("[0::1]", "::1", True),
        ("10.1", "10.0.0.1", True),
    ],
)
def test_it_matches_normalised_hosts(pattern: str, host: str, expected: bool) -> None:
    assert parse_domains([pattern]).matches(host) is expected
