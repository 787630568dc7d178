"""A known secret is hidden in whatever spelling it comes back, and nothing else is."""

import base64
import html
import json
import logging
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.secrets import VALUE
from tools.log.masking import MASK, mask
from tools.secrets.known import forget_all, hide, hide_bytes, hide_text, remember
from tools.secrets.logs import HidingFormatter

TOKEN = VALUE.partition(" ")[2]
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=8, max_size=40)


@pytest.fixture(autouse=True)
def known() -> Iterator[None]:
    forget_all()
    remember(VALUE)
    yield
    forget_all()


@pytest.mark.parametrize(
    "echo",
    [
        VALUE,
        TOKEN,
        f"got <{VALUE}>, thanks",
        f"token={TOKEN}",
        quote(VALUE),
        quote(VALUE, safe=""),
        quote_plus(VALUE),
        quote(TOKEN, safe="").lower(),
        json.dumps({"headers": {"authorization": VALUE}}),
        json.dumps(VALUE).replace("/", "\\/"),
        html.escape(VALUE),
        VALUE.encode().hex(),
        VALUE.encode().hex().upper(),
        base64.b64encode(VALUE.encode()).decode(),
        base64.b64encode(TOKEN.encode()).decode().rstrip("="),
        base64.urlsafe_b64encode(TOKEN.encode()).decode(),
        quote(base64.b64encode(TOKEN.encode()).decode(), safe=""),
    ],
)
def test_every_spelling_is_hidden(echo: str) -> None:
    hidden = hide_text(echo)
    assert MASK in hidden
    assert "7f3a" not in hidden
    assert "c0ffee" not in hidden
    assert hide_text(hidden) == hidden


@pytest.mark.parametrize("before", ["", "x", "ab", "user:", '{"token": "'])
@pytest.mark.parametrize("after", ["", "y", '"}'])
def test_it_is_hidden_within_the_base64_of_something_longer(before: str, after: str) -> None:
    encoded = base64.b64encode((before + TOKEN + after).encode()).decode()
    told = hide_text(encoded)
    assert MASK in told
    kept = told.replace(MASK, "")
    assert len(kept) <= len(encoded) - len(TOKEN)


def test_basic_credentials_are_hidden_in_the_clear_too() -> None:
    remember("Basic " + base64.b64encode(b"robot:open-sesame-42").decode())
    assert "sesame" not in hide_text("signed in as robot:open-sesame-42")
    assert "sesame" not in hide_text("password open-sesame-42")


def test_it_is_hidden_at_any_depth_and_in_keys() -> None:
    told = hide({"a": [{"b": (VALUE, 1, None)}], TOKEN: True})
    assert TOKEN not in str(told)
    assert told["a"][0]["b"][1:] == (1, None)


def test_the_log_hides_it_wherever_it_stands() -> None:
    assert mask({"note": f"it was {TOKEN}", "list": [VALUE]}) == {
        "note": f"it was {MASK}",
        "list": [MASK],
    }


@pytest.mark.parametrize("text", ["", "Bearer", "sk-live", "a page about sk-live-keys", "c0ffee"])
def test_other_text_stays(text: str) -> None:
    assert hide_text(text) == text
    assert hide_bytes(text.encode()) == text.encode()


@pytest.mark.parametrize("kept", [8, 12, len(TOKEN) - 1])
def test_a_body_that_was_cut_within_it_ends_before_it(kept: int) -> None:
    body = b"x" * 50 + TOKEN[:kept].encode()
    assert hide_bytes(body, ends_early=True) == b"x" * 50 + b"***"
    assert hide_bytes(body) == body


@pytest.mark.parametrize("with_error", [True, False])
def test_log_lines_hide_it(with_error: bool) -> None:
    error = ValueError(f"illegal header {VALUE!r}")
    caught = (ValueError, error, None) if with_error else None
    record = logging.LogRecord("x", 40, __file__, 1, "sent %s", (VALUE,), caught)
    line = HidingFormatter("%(message)s").format(record)
    assert TOKEN not in line
    assert line.startswith(f"sent {MASK}")


@given(TEXTS, st.text(max_size=20), st.text(max_size=20))
def test_no_value_survives_in_its_usual_spellings(value: str, before: str, after: str) -> None:
    value = value.strip()
    if len(value) < 8:
        return
    forget_all()
    remember(value)
    for spell in (str, quote, quote_plus, html.escape, lambda text: json.dumps(text)[1:-1]):
        echo = spell(value)
        assert echo not in hide_text(f"{before}{echo}{after}").replace(MASK, "\0")
    raw = value.encode()
    assert raw not in hide_bytes(before.encode("utf-8", "replace") + raw).replace(b"***", b"\0")


def test_what_tells_none_is_left_as_it_is() -> None:
    rows = [{"a": "harmless", "b": [1, None, ("two", 2.5)]}] * 3
    assert hide(rows) is rows
    told = hide([*rows, {TOKEN: ({"deep": [f"x{TOKEN}"]},)}])
    assert told == [*rows, {MASK: ({"deep": [f"x{MASK}"]},)}]


def test_what_is_only_told_by_two_texts_side_by_side_is_no_secret() -> None:
    halves = [VALUE[:9], VALUE[9:]]
    assert hide(halves) == halves
