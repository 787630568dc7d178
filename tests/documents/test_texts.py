"""What a document may hold."""

import pytest

from config.base.errors import InvalidInput
from documents import texts


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("a, b ,,c", ["a", "b", "c"]),
        (["a", "b, c", " "], ["a", "b", "c"]),
        (["Work", "work", "WORK"], ["Work"]),
        ("两 个\n字", ["两 个 字"]),
        ("", []),
        ([], []),
    ],
)
def test_tags_come_as_a_list_or_with_commas(given: str | list[str], kept: list[str]) -> None:
    assert texts.clean_tags(given) == kept


@pytest.mark.parametrize(
    ("clean", "value", "code"),
    [
        (texts.clean_title, " \n ", "empty"),
        (texts.clean_title, "x" * 256, "too_long"),
        (texts.clean_title, "a\x00b", "invalid"),
        (texts.clean_title, "a\ud800", "invalid"),
        (texts.clean_content, " \n\t", "empty"),
        (texts.clean_content, "x" * 50_001, "too_long"),
        (texts.clean_content, "\x00a", "invalid"),
        (texts.clean_summary, "x" * 2_001, "too_long"),
        (texts.clean_tags, "x" * 501, "too_long"),
        (texts.clean_tags, ["x" * 250, "y" * 250], "too_long"),
        (texts.clean_tags, "\ud800", "invalid"),
        (texts.clean_type, "page", "invalid"),
        (texts.clean_search, "x" * 501, "too_long"),
    ],
)
def test_it_says_by_code_what_is_wrong(clean: object, value: object, code: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        clean(value)  # type: ignore[operator]  # one of several functions
    assert caught.value.code == code


def test_the_edges_are_allowed() -> None:
    assert texts.clean_title("x" * 255) == "x" * 255
    assert texts.clean_content("字" * 50_000) == "字" * 50_000
    assert texts.clean_content(" a\r\n") == " a\r\n"
    assert len(texts.clean_tags("x" * 500)[0]) == 500


def test_provenance_only_grows() -> None:
    assert texts.merge_provenance(["untrusted"], ["own"]) == ["own", "untrusted"]
    assert texts.merge_provenance(["own"], ["nonsense"]) == ["own"]
