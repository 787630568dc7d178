"""“Did you mean …”: words of one's own titles and tags, spelled almost like what was typed."""

import re

from config.base.folding import fold
from config.base.models import User
from documents.finding.hits import narrowed
from documents.finding.matching import MAX_SEARCH_WORDS

_LOOKED_AT = 500  # documents, those changed last
_ALIKE = 0.4  # of two words' trigrams, the share that they have in common
_LEAST = 3  # characters of a word that may be mistyped
_MOST = 40
_WORD = re.compile(r"\w+")


def suggest(user: User, q: str) -> str:
    """The search with other words in the place of those that nobody wrote; "" without any."""
    spelled = _own_words(user)
    words = q.split()[:MAX_SEARCH_WORDS]
    better = [_better(word, spelled) for word in words]
    return " ".join(better) if better != words else ""


def _own_words(user: User) -> dict[str, str]:
    """Folded to as it was written last."""
    recent = narrowed(user).order_by("-updated_at", "-pk").values_list("title", "tags")
    spelled: dict[str, str] = {}
    for title, tags in recent[:_LOOKED_AT]:
        for word in _WORD.findall(" ".join([title, *tags])):
            if _LEAST <= len(word) <= _MOST:
                spelled.setdefault(fold(word, _MOST), word)
    return spelled


def _better(word: str, spelled: dict[str, str]) -> str:
    folded = fold(word, _MOST)
    if len(folded) < _LEAST or folded in spelled:
        return word
    wanted = _trigrams(folded)
    alike = [(_likeness(wanted, _trigrams(known)), known) for known in spelled]
    likeness, known = max(alike, default=(0.0, ""))
    return spelled[known] if likeness >= _ALIKE else word


def _likeness(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other)


def _trigrams(word: str) -> set[str]:
    padded = f"  {word} "
    return {padded[at : at + 3] for at in range(len(padded) - 2)}
