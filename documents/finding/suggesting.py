"""“Did you mean …”: words of one's own titles and tags, spelled almost like what was typed."""

import re
from difflib import get_close_matches

from config.base.folding import fold
from config.base.models import User
from documents.finding.hits import narrowed
from documents.finding.matching import MAX_SEARCH_WORDS

_LOOKED_AT = 500  # documents, those changed last
_ALIKE = 0.72  # the share of letters that two words have in common, in the same order
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
    alike = get_close_matches(folded, spelled, n=1, cutoff=_ALIKE)
    return spelled[alike[0]] if alike else word
