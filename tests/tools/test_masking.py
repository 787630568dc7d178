import time
from typing import Any

import pytest

from config.base.storable import MAX_DEPTH, is_storable, storable
from tools.log.masking import LIMIT_BYTES, MASK, cut, mask, size_bytes

LOST = "\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "Passwd",
        "api_key",
        "apiKey",
        "API-KEY",
        "Authorization",
        "Set-Cookie",
        "client_secret",
        "access_token",
        "credentials",
        "private_key",
        "X-Signature",
    ],
)
def test_it_masks_what_stands_under_a_secret_name(name: str) -> None:
    assert mask({"headers": [{name: "hunter2"}]}) == {"headers": [{name: MASK}]}


def test_it_masks_whole_values_and_leaves_empty_ones() -> None:
    given = {"secret": {"a": "b"}, "token": "", "password": None}
    assert mask(given) == {"secret": MASK, "token": "", "password": None}


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://a.example/?token=abc&page=2", f"https://a.example/?token={MASK}&page=2"),
        ("https://a.example/?q=1&api_key=abc#top", f"https://a.example/?q=1&api_key={MASK}#top"),
        ("https://a.example/?page=2", "https://a.example/?page=2"),
        ("the token=abc in a sentence", "the token=abc in a sentence"),
    ],
)
def test_it_masks_secrets_in_the_query_of_an_address(url: str, kept: str) -> None:
    assert mask({"url": url}) == {"url": kept}


@pytest.mark.parametrize("value", [1, "text", None, True, [1, {"a": 2}], {"text": "my password"}])
def test_it_leaves_everything_else(value: Any) -> None:
    assert mask(value) == value


@pytest.mark.parametrize("piece", ["?", "?token", "&a", "token", "?token="])
def test_no_text_makes_it_slow(piece: str) -> None:
    started = time.process_time()
    mask([piece * 20_000])
    assert time.process_time() - started < 10  # square work would take minutes


def test_it_cuts_what_is_too_large_and_says_so() -> None:
    small, large = {"a": "é" * 10}, {"a": "é" * LIMIT_BYTES}
    assert cut(small) == (small, False)
    kept, was_cut = cut(large)
    assert was_cut
    assert size_bytes(kept["cut"]) <= LIMIT_BYTES + 100
    assert kept["cut"].startswith('{"a":"é')


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("a\0b", f"a{LOST}b"),
        ("\ud83d", LOST),
        ("😀", "😀"),
        ({"\0": ["\udfff"]}, {LOST: [LOST]}),
        (float("inf"), "inf"),
        ((1, 2), [1, 2]),
        (None, None),
        (1.5, 1.5),
    ],
)
def test_what_no_database_holds_is_replaced(value: Any, kept: Any) -> None:
    assert storable(value) == kept
    assert is_storable(kept)


@pytest.mark.parametrize("value", ["\0", "\ud800", {"\0": 1}, {"a": ["\0"]}, float("nan")])
def test_it_knows_what_no_database_holds(value: Any) -> None:
    assert not is_storable(value)


def test_nesting_has_an_end() -> None:
    nested: Any = []
    for _ in range(MAX_DEPTH + 2):
        nested = [nested]
    assert not is_storable(nested)
    assert is_storable(storable(nested)) or size_bytes(storable(nested)) < 500
