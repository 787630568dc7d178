"""A summary is the beginning of the plain text, cut where a reader would cut it."""

import pytest

from documents.summary import make_summary, plain_text


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        (
            "# A *title*\n\nSome **bold** [link](https://e.example) text.",
            "A title Some bold link text.",
        ),
        ("- a\n- [ ] b\n\n> c", "a b c"),
        ("`code` and\n\n```py\nx = 1\n```", "code and x = 1"),
        ("![alt](x.png) <b>raw</b>", "alt <b>raw</b>"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "a b 1 2"),
        ("a&amp;b  \nc", "a&b c"),
        ("", ""),
    ],
)
def test_plain_text_has_no_marks(markdown: str, text: str) -> None:
    assert plain_text(markdown) == text


@pytest.mark.parametrize(
    ("text", "length", "summary"),
    [
        ("short", 200, "short"),
        ("One sentence here. Another one follows it", 30, "One sentence here."),
        ("One. Two words that go on and on and on", 24, "One. Two words that go"),
        ("exactly ten and", 11, "exactly ten"),
        ("a" * 50, 20, "a" * 20),
        ("第一句话在这里。第二句话很长很长很长", 12, "第一句话在这里。"),
        ("没有标点的一段很长很长很长的文字", 8, "没有标点的一段很"),
        ("Version 1.2.3 is out now", 12, "Version"),
    ],
)
def test_it_is_cut_at_a_sentence_or_a_word(text: str, length: int, summary: str) -> None:
    assert make_summary(text, length) == summary


def test_it_reads_only_the_beginning_of_a_long_text() -> None:
    assert len(make_summary("word " * 1_000_000)) <= 200
