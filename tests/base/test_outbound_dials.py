"""Nothing but judged addresses is ever dialled, however they are written or answered.

Seen at the sockets: the client's look-up and its dialling are the real ones.
"""

from collections.abc import Sequence
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config.base.outbound.addresses import parse_networks
from config.base.outbound.client import OutboundClient
from config.base.outbound.deadline import Deadline
from config.base.outbound.errors import OutboundError, UrlInvalid
from config.base.outbound.hops import OutboundRequest
from config.base.outbound.hosts import parse_host
from config.base.outbound.policy import OutboundPolicy
from config.base.outbound.protected import protected_endpoints
from config.base.outbound.testing import ScriptedServer, http_answer
from config.base.outbound.urls import parse_url
from tests.base.spellings import (
    ANY_IPV4,
    INSIDE_IPV4,
    INSIDE_IPV6,
    ipv4_spellings,
    ipv6_of,
    ipv6_spellings,
    look_alikes,
    percent_encoded,
    spelt_inside,
)
from tests.base.wire import Wire, leads_inside

many = settings(max_examples=300, derandomize=True, deadline=None)
some = settings(max_examples=100, derandomize=True, deadline=None)
EVERYTHING = parse_networks(["0.0.0.0/0", "::/0"])
PUBLIC_ANSWERS = ["93.184.215.14", "8.8.8.8", "2606:4700:4700::1111", "::ffff:1.1.1.1"]


def send(url: str, policy: OutboundPolicy | None = None) -> str:
    """The code of the failure, or "" for an answer."""
    client = OutboundClient(policy or OutboundPolicy(), protected=())
    try:
        client.send(OutboundRequest(url=url), Deadline.after(5))
    except OutboundError as error:
        return error.code
    return ""


# --- Spellings ---


@many
@given(ANY_IPV4.flatmap(lambda address: st.tuples(st.just(address), ipv4_spellings(address))))
def test_every_notation_of_the_url_standard_is_the_same_address(
    spelt: tuple[IPv4Address, str],
) -> None:
    address, text = spelt
    assert parse_host(text).address == address
    assert parse_url(f"http://{text}:8080/").host == str(address)


@many
@given(
    ANY_IPV4.flatmap(
        lambda address: st.tuples(
            st.just(address), ipv4_spellings(address).flatmap(look_alikes)
        )
    )
)  # fmt: skip
def test_letters_that_look_like_an_address_are_it_or_nothing(
    spelt: tuple[IPv4Address, str],
) -> None:
    address, text = spelt
    try:
        found = parse_host(text).address
    except UrlInvalid:
        return
    assert found == address


@some
@given(ANY_IPV4.map(str).flatmap(percent_encoded).filter(lambda text: "%" in text))
def test_a_host_with_percent_signs_is_none(text: str) -> None:
    with pytest.raises(UrlInvalid):
        parse_host(text)


@many
@given(
    st.one_of(INSIDE_IPV6, ANY_IPV4.flatmap(ipv6_of)).flatmap(
        lambda address: st.tuples(st.just(address), ipv6_spellings(address))
    )
)
def test_every_notation_of_ipv6_is_the_same_address(spelt: tuple[IPv6Address, str]) -> None:
    address, text = spelt
    assert parse_host(text).address == address


@some
@given(INSIDE_IPV6, st.sampled_from(["%eth0", "%25eth0", "%1", "%25", "%"]))
def test_a_zone_makes_no_address(address: IPv6Address, zone: str) -> None:
    with Wire() as wire:
        assert send(f"http://[{address}{zone}]/") == "url_invalid"
    assert wire.dialled == []


@many
@given(spelt_inside(), st.sampled_from(["http", "https", "HTTP"]), st.sampled_from(["", ":8080"]))
def test_no_spelling_leads_inside(host: str, scheme: str, port: str) -> None:
    with Wire() as wire:
        assert send(f"{scheme}://{host}{port}/") in ("address_refused", "url_invalid")
    assert (wire.dialled, wire.looked_up) == ([], [])


# --- Names ---

ANSWERS = st.lists(
    st.one_of(
        st.sampled_from(PUBLIC_ANSWERS),
        INSIDE_IPV4.map(str),
        INSIDE_IPV6.map(str),
        INSIDE_IPV4.flatmap(ipv6_of).map(str),
        st.sampled_from(["fe80::1%eth0", "nonsense", "", "127.0.0.1 "]),
    ),
    max_size=6,
)


def usable(answers: Sequence[str]) -> list[str]:
    return [text for text in answers if text not in ("nonsense", "", "127.0.0.1 ")]


@many
@given(ANSWERS)
def test_one_private_answer_of_many_refuses_the_name(answers: list[str]) -> None:
    with Wire(names={"a.example": [answers]}) as wire:
        code = send("http://a.example/")
    found = usable(answers)
    if any(map(leads_inside, found)):
        assert code == "address_refused"
    else:
        assert code == ("connect_failed" if found else "dns_failed")
    assert not any(map(leads_inside, wire.hosts))
    assert set(wire.hosts) <= set(found)


@some
@given(st.lists(ANSWERS, min_size=1, max_size=4), st.integers(0, 3))
def test_a_name_that_changes_its_answers_gets_one_look_up_a_hop(
    sequence: list[list[str]], redirects: int
) -> None:
    answers = [http_answer(status="302 Moved", headers={"Location": "/"})] * redirects
    answers.append(http_answer(b"hi"))
    with (
        ScriptedServer(lambda _request, peer: peer.sendall(answers.pop(0))) as server,
        Wire(server.address, names={"a.example": sequence}) as wire,
    ):
        send("http://a.example/")
    assert not any(map(leads_inside, wire.hosts))
    assert len(wire.looked_up) <= redirects + 1


# --- Redirects ---

LOCATIONS = st.one_of(
    spelt_inside().map(lambda host: f"http://{host}/"),
    spelt_inside().map(lambda host: f"//{host}"),
    spelt_inside().map(lambda host: f"http://b.example@{host}/"),
    st.sampled_from(
        [
            "/next", "?q", "next", "http://b.example/", "https://a.example/", "//b.example:8080/x",
            "http://inside.example/", "http://turns.example/", "ftp://b.example/", "file:///etc",
            "http://a.example:81/", "http://[::1/", "\\\\127.0.0.1\\", "javascript:1", "HTTP://b.example",
        ]
    ),
    st.text(max_size=20).filter(lambda text: "\n" not in text and "\r" not in text),
)  # fmt: skip
NAMES = {
    "inside.example": [["10.0.0.7"]],
    "turns.example": [["8.8.8.8"], ["169.254.169.254"]],
}


@some
@given(st.lists(LOCATIONS, max_size=6), st.sampled_from([301, 302, 303, 307, 308]))
def test_every_hop_is_judged_and_takes_no_secret_along(locations: list[str], status: int) -> None:
    answers = [
        f"HTTP/1.1 {status} Moved\r\nContent-Length: 0\r\nLocation: ".encode()
        + location.encode("utf-8", "replace")
        + b"\r\n\r\n"
        for location in locations
    ]
    answers.append(http_answer(b"hi"))
    secret = {"Authorization": "Bearer T0KEN", "X-Key": "T0KEN", "Cookie": "sid=T0KEN"}
    request = OutboundRequest(url="http://a.example/", headers=secret)
    with (
        ScriptedServer(lambda _request, peer: peer.sendall(answers.pop(0))) as server,
        Wire(server.address, names=NAMES) as wire,
    ):
        client = OutboundClient(OutboundPolicy(), protected=())
        with suppress(OutboundError):
            client.send(request, Deadline.after(5))
    assert not any(map(leads_inside, wire.hosts))
    for sent in server.requests:
        is_first_origin = b"\r\nhost: a.example\r\n" in sent.lower()
        assert is_first_origin or b"T0KEN" not in sent


# --- What no setting opens ---

OURS = (8000, 5432, 6379)  # ourselves, the database, the broker
LOCAL = st.one_of(
    st.integers(0, 2**24 - 1).map(lambda low: IPv4Address((127 << 24) | low)),
    st.just(IPv4Address("0.0.0.0")),
)
LOCAL_HOSTS = st.one_of(
    LOCAL.flatmap(ipv4_spellings),
    LOCAL.flatmap(ipv4_spellings).flatmap(look_alikes),
    LOCAL.map(lambda address: IPv6Address(f"::ffff:{address}")).flatmap(ipv6_spellings),
    st.sampled_from([IPv6Address("::1"), IPv6Address("::")]).flatmap(ipv6_spellings),
    st.sampled_from(
        [
            "localhost", "LOCALHOST.", "ⓛocalhost", "innocent.example", "turning.example",
            "db.internal", "DB.internal.", "many.example", "gatehouse.example",
        ]
    ),
)  # fmt: skip
LOCAL_NAMES = {
    "localhost": [["127.0.0.1", "::1"]],
    "innocent.example": [["127.0.0.1"]],
    "turning.example": [["93.184.215.14"], ["127.0.0.1"]],
    "db.internal": [["10.0.0.9"]],
    "many.example": [["93.184.215.14", "10.0.0.9", "::1"]],
    "gatehouse.example": [["93.184.215.14"]],
}


def is_ours(text: str, port: int) -> bool:
    address = ip_address(text)
    address = getattr(address, "ipv4_mapped", None) or address
    if address.is_loopback or address.is_unspecified:
        return port in OURS
    return (str(address), port) in {("10.0.0.9", 5432), ("93.184.215.14", 8000)}


@pytest.fixture(scope="module")
def our_settings() -> SimpleNamespace:
    postgresql = {"ENGINE": "django.db.backends.postgresql", "HOST": "db.internal"}
    return SimpleNamespace(
        OWN_ORIGINS=["127.0.0.1:8000", "gatehouse.example:8000"],
        REDIS_URL="redis://:pw@[::1]:6379/0",
        DATABASES={"default": postgresql, "local": {**postgresql, "HOST": ""}},
    )


@some
@given(host=LOCAL_HOSTS, port=st.sampled_from(OURS), by_redirect=st.booleans())
def test_ourselves_the_database_and_the_broker_are_never_dialled(
    our_settings: SimpleNamespace, host: str, port: int, by_redirect: bool
) -> None:
    url = f"http://{host}:{port}/"
    moved = http_answer(status="307 Moved", headers={"Location": url})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("config.base.outbound.protected.settings", our_settings)
        endpoints = protected_endpoints()
    with (
        ScriptedServer(lambda _request, peer: peer.sendall(moved)) as server,
        Wire(server.address, names=LOCAL_NAMES) as wire,
    ):
        client = OutboundClient(OutboundPolicy(allowed_networks=EVERYTHING), protected=endpoints)
        with pytest.raises(OutboundError):
            client.send(
                OutboundRequest(url="http://8.8.8.8/" if by_redirect else url), Deadline.after(5)
            )
    assert not [dial for dial in wire.dialled if is_ours(*dial)]
