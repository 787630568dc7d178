"""What was rendered is kept for the next who looks, within bounds."""

from collections.abc import Iterator
from unittest import mock

import pytest
from django.utils import translation

from documents.rendering import host, page, render
from documents.rendering import kept as keeping
from documents.rendering.errors import RenderingTooLong


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    keeping.forget()
    yield
    keeping.forget()


@pytest.fixture
def convert() -> Iterator[mock.Mock]:
    with mock.patch.object(page, "convert", side_effect=host.convert) as convert:
        yield convert


def test_the_same_text_is_laid_out_once(convert: mock.Mock) -> None:
    first, second = render("# A title\n\nwords"), render("# A title\n\nwords")
    assert first == second
    assert first.outline[0].text == "A title"
    assert convert.call_count == 1


def test_it_is_laid_out_for_each_language(convert: mock.Mock) -> None:
    english = render("- [x] a task").html
    with translation.override("zh-hans"):
        chinese = render("- [x] a task").html
    assert english != chinese
    assert convert.call_count == 2


def test_what_was_not_asked_for_the_longest_goes_first(
    convert: mock.Mock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "MAX_CHARACTERS", 60)
    for text in ("first text", "other text", "first text"):
        render(text)
    render("a third text")  # in place of the other
    convert.reset_mock()
    render("first text")
    assert convert.call_count == 0
    render("other text")
    assert convert.call_count == 1


def test_one_longer_than_the_bound_is_shown_and_not_kept(
    convert: mock.Mock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "MAX_CHARACTERS", 10)
    assert "longer" in render("longer than that").html
    render("longer than that")
    assert convert.call_count == 2


def test_what_could_not_be_laid_out_is_tried_again() -> None:
    with mock.patch.object(page, "convert", side_effect=RenderingTooLong) as convert:
        render("words")
        render("words")
    assert convert.call_count == 2
    assert render("words").html == "<p>words</p>"
