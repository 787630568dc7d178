"""What a reminder says: three lines, of which a note can only ever fill the second."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.reminders.text import render_reminder
from config.base.hidden import is_hidden
from config.base.storable import is_storable
from skills.definitions import MAX_NOTE_LENGTH
from tools.quoting import quote

ENGLISH = (
    "It is time for the goal check-in that we agreed on.",
    "How far have you come?",
)
CHINESE = ("我们约定的目标复盘时间到了。", "现在进展到哪里了？")


@pytest.mark.parametrize(
    ("language", "frame"),
    [("en", ENGLISH), ("zh-hans", CHINESE), ("zh-CN", CHINESE), ("", ENGLISH), ("de", ENGLISH)],
)
def test_three_lines_with_the_note_quoted_or_a_default_review(
    language: str, frame: tuple[str, str]
) -> None:
    opening, noted, question = render_reminder("论文初稿", language).split("\n")
    assert (opening, noted, question) == (frame[0], "“论文初稿”", frame[1])
    opening, default, question = render_reminder(" \n", language).split("\n")
    assert (opening, question) == frame
    assert default.endswith("？" if frame is CHINESE else "?")
    assert "“" not in default


@given(st.text(max_size=2 * MAX_NOTE_LENGTH), st.sampled_from(["en", "zh-hans"]))
def test_no_note_adds_a_line_or_ends_its_quotation(note: str, language: str) -> None:
    text = render_reminder(note, language)
    opening, middle, question = text.splitlines()
    assert (opening, question) == (CHINESE if language == "zh-hans" else ENGLISH)
    assert len(middle) <= MAX_NOTE_LENGTH + 2
    assert not any(map(is_hidden, middle))
    assert is_storable(text)
    if quote(note, MAX_NOTE_LENGTH):
        assert (middle[0], middle[-1]) == ("“", "”")
        assert not set(middle[1:-1]) & set("“”")
