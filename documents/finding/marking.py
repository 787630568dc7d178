"""Where the words of a search stand in a text."""

import re
from collections.abc import Iterator

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from documents.finding.matching import MAX_SEARCH_WORDS
from documents.search.tokens import find_terms, is_cjk, terms_of_question

type Span = tuple[int, int]


class Marker:
    """Of one search: its words in every form that the index takes for the same, and as typed."""

    def __init__(self, q: str) -> None:
        self._terms = _telling(set(terms_of_question(q)))
        typed = "|".join(re.escape(word) for word in typed_words(q))
        self._typed = re.compile(typed, re.IGNORECASE) if typed else None

    def spans(self, text: str) -> list[Span]:
        """In order, without overlaps; those that touch are one."""
        merged: list[Span] = []
        for start, end in sorted(self._found(text)):
            if merged and start <= merged[-1][1]:
                merged[-1] = merged[-1][0], max(end, merged[-1][1])
            else:
                merged.append((start, end))
        return merged

    def first(self, text: str) -> int | None:
        """Where the first word stands; of texts of any length."""
        found = self._typed.search(text) if self._typed else None
        return found.start() if found else None

    def html(self, text: str) -> SafeString:
        """The text, escaped, with its words in <mark>."""
        parts, at = [], 0
        for start, end in self.spans(text):
            parts.append((text[at:start], format_html("<mark>{}</mark>", text[start:end])))
            at = end
        return format_html_join("", "{}{}", [*parts, (text[at:], "")])

    def _found(self, text: str) -> Iterator[Span]:
        for found in find_terms(text):
            if found.term in self._terms:
                yield found.start, found.end
        if self._typed:
            yield from (match.span() for match in self._typed.finditer(text))


def typed_words(q: str) -> list[str]:
    """Without those in which questions are asked, unless there are no others."""
    words = list(dict.fromkeys(q.split()))[:MAX_SEARCH_WORDS]
    return [word for word in words if terms_of_question(word)] or words


def _telling(terms: set[str]) -> set[str]:
    """Without the single characters of pairs: of those every text is full."""
    pairs = {term for term in terms if len(term) == 2 and is_cjk(term)}
    within = {char for pair in pairs for char in pair}
    return terms - within
