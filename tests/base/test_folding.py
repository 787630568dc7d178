"""What people and models write is brought to one form at a bounded cost."""

import sys
import unicodedata
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.base import folding
from config.base.folding import MOST_MARKS, fold, plain

MARKS = "\u0315\u0300"
marks = st.sampled_from("\u0315\u0300\u0344\u0f73\uff9e\u3099\u0327\u20d0")


def longest_run(text: str) -> int:
    """Of marks that stand side by side once they are taken apart: what sorting costs."""
    apart = "".join(unicodedata.normalize("NFKD", char) for char in text)
    runs = groupby(apart, lambda char: unicodedata.combining(char) > 0)
    return max((len(list(run)) for is_mark, run in runs if is_mark), default=0)


@pytest.fixture
def handed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Each text of more than one character that comes to be normalised."""
    seen: list[str] = []
    real = unicodedata.normalize

    def normalize(form: str, text: str) -> str:
        if len(text) > 1:
            seen.append(text)
        return real(form, text)  # type: ignore[arg-type]  # one of the four forms

    monkeypatch.setattr(unicodedata, "normalize", normalize)
    return seen


def test_what_is_normalised_is_cut_and_has_few_marks(handed: list[str]) -> None:
    plain(f"a{MARKS * 50_000}", 1_000)
    assert [len(text) for text in handed] == [1 + MOST_MARKS]
    plain(f"a{MARKS}" * 50_000, 1_000)
    assert len(handed[-1]) == 1_000


@pytest.mark.parametrize("mark", [*MARKS, "\u0344", "\uff9e\u0315", "\u0f73\u0315"])
def test_no_character_keeps_more_than_a_few(handed: list[str], mark: str) -> None:
    plain(mark * 500, 1_000)
    assert longest_run(handed[0]) <= 2 * MOST_MARKS  # some are two marks in one


@given(st.text(st.one_of(st.characters(), marks), max_size=300), st.integers(0, 200))
def test_no_text_at_all_has_long_runs_left(text: str, most: int) -> None:
    assert longest_run(folding._with_few_marks(text[:most])) <= 4 * MOST_MARKS


@given(st.text(max_size=100))
def test_what_has_few_marks_is_as_unicode_has_it(text: str) -> None:
    if longest_run(text) <= MOST_MARKS:
        assert plain(text, 100) == unicodedata.normalize("NFKC", text)
        assert fold(text, 100) == unicodedata.normalize("NFKC", text).casefold()


def test_width_and_case_do_not_count() -> None:
    assert fold("ＡＢＣ", 10) == fold("abc", 10) == "abc"
    assert plain("Ａbc", 2) == "Ab"
    assert fold("", 10) == fold("abc", 0) == ""


def test_no_single_character_becomes_a_long_run() -> None:
    longest = max(longest_run(chr(point)) for point in range(0x80, sys.maxunicode + 1))
    assert longest <= 3
