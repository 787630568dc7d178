"""Long texts in passages: at the borders of paragraphs, whole, under their headings."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from documents.search.cutting import SIZE, cut

lines = st.lists(
    st.one_of(
        st.sampled_from(["", "# One", "## Two ##", "```", "~~~", "   ", "#", "\t"]),
        st.text(max_size=40),
        st.integers(1, 300).map(lambda n: "word " * n),
        st.integers(1, 1500).map(lambda n: "字" * n),
    ),
    max_size=12,
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(lines=lines, size=st.integers(20, 400), ending=st.sampled_from(["\n", "\r\n", "\n\n"]))
@example(lines=["```", "a", "", "# b"], size=20, ending="\n")
def test_passages_are_the_whole_text_but_for_blanks(
    lines: list[str], size: int, ending: str
) -> None:
    text = ending.join(lines)
    passages = cut(text, size)
    at = 0
    for passage in passages:
        assert at <= passage.start < passage.end <= len(text)
        assert not text[at : passage.start].strip()
        assert passage.end - passage.start <= size
        at = passage.end
    assert not text[at:].strip()


def test_a_passage_ends_where_a_paragraph_does() -> None:
    paragraphs = [f"{number} " + "word " * 60 for number in range(12)]
    text = "\n\n".join(paragraphs)
    passages = cut(text)
    assert 3 < len(passages) < 6
    for passage in passages:
        first = text[passage.start : passage.end].lstrip().split(" ")[0]
        assert first.isdigit()


def test_each_knows_the_heading_it_stands_under() -> None:
    text = "\n\n".join(
        ["Before", "# Start #", "a " * 400, "b " * 400, "## More *of* it", "c " * 200]
    )
    passages = cut(text)
    assert [passage.heading for passage in passages] == ["", "Start", "More *of* it"]


def test_code_is_not_read_as_headings() -> None:
    text = "# Real\n\n```\n# a comment\n\n# another\n```\n\nend"
    assert [passage.heading for passage in cut(text, 30)] == ["Real"] * len(cut(text, 30))


def test_what_has_no_paragraphs_is_cut_after_sentences() -> None:
    text = "会议讨论了经营情况。" * 300
    for passage in cut(text):
        assert text[passage.end - 1] == "。"
        assert passage.end - passage.start <= SIZE


@pytest.mark.parametrize("text", ["", " \n\n ", "\n"])
def test_nothing_is_no_passage(text: str) -> None:
    assert cut(text) == []
