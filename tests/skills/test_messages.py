"""How a message is read: the same for what starts a skill and for what is no answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills.messages import LONGEST, after_command, command_of, plain


@pytest.mark.parametrize(
    ("text", "command", "rest"),
    [
        ("/weekly-review", "/weekly-review", ""),
        ("/weekly-review please", "/weekly-review", "please"),
        ("  /Weekly-Review\n please\nnow ", "/weekly-review", "please\nnow"),
        ("／ｗeekly-review　２０２７", "/weekly-review", "２０２７"),
        ("/a\u00b4b", "/a", "\u00b4b"),  # an accent by itself is a gap, once it is folded
        ("", "", ""),
        (" ", "", ""),
    ],
)
def test_a_command_is_the_first_word_and_what_follows_stays_as_it_was_written(
    text: str, command: str, rest: str
) -> None:
    assert (command_of(text), after_command(text)) == (command, rest)


@given(st.text().map("/".__add__))
def test_a_command_is_what_the_folded_message_begins_with(text: str) -> None:
    assert command_of(text) == plain(text).partition(" ")[0]


def test_what_would_take_a_minute_to_normalise_is_cut_first() -> None:
    marks = "a" + "\u0315\u0300" * 50_000
    assert len(plain(marks)) <= LONGEST
    assert len(command_of(marks)) <= LONGEST
