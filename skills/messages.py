"""What a message says, however it was typed: one folding for all who look for words in it."""

import unicodedata

from config.base.folding import fold

LONGEST = 2000  # characters in which words are looked for


def plain(text: str) -> str:
    """Of its first 2000 characters: compatible forms alike, no case, one space for any gap."""
    return " ".join(fold(text, LONGEST).split())


def command_of(text: str) -> str:
    """The first word, as commands are written."""
    return plain(text[: _end_of_word(text)])


def after_command(text: str) -> str:
    """What comes after the first word, as it was written."""
    return text[_end_of_word(text) :].strip()


def _end_of_word(text: str) -> int:
    begin = len(text) - len(text.lstrip())
    places = range(begin, min(len(text), begin + LONGEST))
    return next((n for n in places if _is_gap(text[n])), len(text))


def _is_gap(character: str) -> bool:
    return unicodedata.normalize("NFKC", character)[:1].isspace()
