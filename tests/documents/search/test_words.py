"""Digests in place of words."""

from documents.models.search import make_salt
from documents.search.words import Scope


def test_a_word_means_nothing_in_another_scope() -> None:
    one, other = Scope(1, make_salt()), Scope(2, make_salt())
    assert not set(one.words_of("we met in Paris")) & set(other.words_of("we met in Paris"))


def test_in_one_scope_it_is_always_the_same_whichever_process_asks() -> None:
    assert Scope(1, b"salt").words_of("Paris paris PARIS") == ["kgzxtjlroi"] * 3


def test_words_stand_in_queries_as_they_are() -> None:
    for word in Scope(1, make_salt()).words_of("a 'quote' \"double\" 北京 100% x-y NEAR OR *"):
        assert word.isalnum()
        assert word.isascii()


def test_no_word_of_the_text_is_kept() -> None:
    words = Scope(1, make_salt()).words_of("secret 北京 a")
    assert not {"secret", "北", "京", "北京", "a"} & set(words)
