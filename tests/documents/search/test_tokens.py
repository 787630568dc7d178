"""What two texts have in common, however they are typed, and what it costs."""

import time
import unicodedata
from datetime import UTC, datetime

import pytest

from documents.search.tokens import (
    MAX_TEXT_CHARS,
    date_words,
    find_terms,
    terms_of,
    terms_of_question,
)


def nfd(text: str) -> str:
    return unicodedata.normalize("NFD", text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("likes", "like"),
        ("liked", "like"),
        ("liking", "like"),
        ("cities", "city"),
        ("planned", "plan"),
        ("calls", "call"),
        ("classes", "class"),
        ("misses", "miss"),
        ("PAINTING", "paint"),
        ("straße", "STRASSE"),
        ("Ａｌｐｈａ", "alpha"),
        ("２０２３", "2023"),
        ("ﬁle", "file"),
        (nfd("Zürich"), "Zürich"),
        (nfd("がっこう"), "がっこう"),
        (nfd("한국어"), "한국어"),
        ("ｶﾞｯｺｳ", "ガッコウ"),
        ("車", "車"),  # a compatibility ideograph
    ],
)
def test_what_reads_alike_is_the_same(one: str, other: str) -> None:
    assert terms_of(one) == terms_of(other)
    assert list(terms_of_question(one)) == list(terms_of_question(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [("thing", "th"), ("king", "k"), ("bus", "bu"), ("2000s", "200"), ("glass", "glas")],
)
def test_what_only_looks_like_an_ending_stays(one: str, other: str) -> None:
    assert terms_of(one) != terms_of(other)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        ("_ - … !?", []),
        ("snake_case", ["snak", "cas"]),
        ("can't", ["can", "t"]),
        ("北京", ["北", "京", "北京"]),
        ("一〇年人々", ["一", "〇", "年", "人", "々", "一〇", "〇年", "年人", "人々"]),
        ("去Paris玩", ["去", "pari", "玩"]),
        ("한국", ["한", "국", "한국"]),
        ("x\x00y", ["x", "y"]),
        ("a\ud800b", ["a", "b"]),
    ],
)
def test_terms_in_their_order(text: str, terms: list[str]) -> None:
    assert terms_of(text) == terms


@pytest.mark.parametrize("text", ["Going to 北京 in May", nfd("Zürich 한국어 がっこう"), "ｶﾞｯｺｳ ok"])
def test_a_term_says_where_its_word_stands(text: str) -> None:
    for found in find_terms(text):
        assert found.term in terms_of(text[found.start : found.end])


def test_a_question_loses_the_words_in_which_it_is_asked_and_a_text_does_not() -> None:
    assert list(terms_of_question("What do you know about the garden?")) == ["garden"]
    assert terms_of("the garden") == ["the", "garden"]


def test_a_question_in_chinese_loses_them_too() -> None:
    assert list(terms_of_question("你记得我的生日是哪天吗？")) == ["生", "日", "生日"]


@pytest.mark.parametrize("question", ["", "?", "What do you know?", "你还记得什么吗", "\x00"])
def test_a_question_that_names_nothing_has_no_terms(question: str) -> None:
    assert terms_of_question(question) == {}


def test_a_word_is_told_as_it_was_typed() -> None:
    assert terms_of_question("What about my CITIES?") == {"city": "CITIES"}


@pytest.mark.parametrize(
    "question", ["What happened in May?", "Did you meet Will?", "  May is near; in May"]
)
def test_a_name_that_looks_like_such_a_word_stays(question: str) -> None:
    assert question.strip("?").split()[-1].lower() in terms_of_question(question)


@pytest.mark.parametrize("question", ["May I go?", "Will it rain?", "what may it be"])
def test_at_the_beginning_and_in_small_letters_it_is_none(question: str) -> None:
    assert not {"may", "will"} & terms_of_question(question).keys()


def test_a_key_is_no_word() -> None:
    assert terms_of("k" * 64 + " " + "k" * 65) == ["k" * 64]


@pytest.mark.parametrize(
    "text",
    [
        "字" * 1_000_000,
        "a" * 1_000_000,
        "a " * 500_000,
        "e" + "\u0301" * 1_000_000,
        "ᄀ" * 1_000_000,
    ],
    ids=["characters", "one word", "words", "marks", "letters of Korean"],
)
def test_a_megabyte_costs_no_more_than_what_is_looked_at(text: str) -> None:
    began = time.perf_counter()
    terms = terms_of(text)
    terms_of_question(text)
    assert len(terms) <= 2 * MAX_TEXT_CHARS
    assert time.perf_counter() - began < 3  # of a busy machine; all of it would take minutes


def test_a_date_is_found_as_people_say_it() -> None:
    words = terms_of(date_words(datetime(2023, 5, 8, tzinfo=UTC)))
    assert set(terms_of("8 May 2023")) | set(terms_of("2023年5月8日")) <= set(words)
