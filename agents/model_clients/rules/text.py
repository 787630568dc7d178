"""Small pure helpers over text: quotes, addresses, folding, clipping."""

import re

from config.base.folding import fold
from tools.quoting import quotable

MAX_FOLDED_CHARS = 1_000  # of a title or place
MAX_LINK_TEXT = 200

_QUOTES = {'"': '"', "“": "”", "「": "」", "『": "』", "《": "》", "‘": "’", "'": "'", "`": "`"}
# A straight ' is a quote only where no letter stands before it: "don't" holds none.
_QUOTED = re.compile(
    "\"[^\"]*\"|“[^”]*”|「[^」]*」|『[^』]*』|《[^》]*》|‘[^’]*’|`[^`]*`|(?<![\\w])'[^']*'(?!\\w)"
)
_OPENED = re.compile(
    '"[^"]*(?:"|$)|“[^”]*(?:”|$)|「[^」]*(?:」|$)|『[^』]*(?:』|$)|《[^》]*(?:》|$)'
)
_CHINESE = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
URL = r"[a-zA-Z][a-zA-Z0-9+.-]*://[^\s<>\"“”「」]+"
URL_IN_CHINESE = r"[a-zA-Z][a-zA-Z0-9+.-]*://[^\s<>\"“”「」《》，。；！？、（）\u3400-\u9fff]+"
_MARKDOWN = re.compile(r"[\\`*_\[\]<>!&|~#]")
_NO_BEFORE = re.compile(
    r"^\s*(?:(?:no|nope|不用|不要|不是|不|别)(?:\s*[,，、;；:：.。!！]\s*|\s+(?=instead\b)|$))?"
    r"(?:instead\b[\s,:]*|而是)?",
    re.IGNORECASE,
)
_INSTEAD_AFTER = re.compile(r"\s*,?\s+instead\s*[.!]*\s*$", re.IGNORECASE)
_TRAILING = ".,;:!?'，。；：！？、"


def has_chinese(text: str) -> bool:
    return _CHINESE.search(text) is not None


def folded(text: str) -> str:
    """For comparing titles and places: width, case and runs of spaces do not count."""
    return " ".join(fold(text, MAX_FOLDED_CHARS).split())


def unquoted(text: str) -> str:
    """Without one pair of quotes around the whole; otherwise as it is, trimmed."""
    text = text.strip()
    if len(text) >= 2 and _QUOTES.get(text[0]) == text[-1]:
        return text[1:-1].strip()
    return text


def is_quoted(text: str) -> bool:
    return _QUOTED.fullmatch(text.strip()) is not None


def quoted_spans(text: str) -> list[tuple[int, int]]:
    """Where quotations stand; one that is not closed goes on to the end."""
    return [match.span() for quotes in (_QUOTED, _OPENED) for match in quotes.finditer(text)]


def clean_url(url: str) -> str:
    """Without the punctuation of the sentence around it; a bracket stays if it was opened."""
    while url:
        last = url[-1]
        if last in _TRAILING or (last in ")]}" and url.count(last) > url.count(_OPENING[last])):
            url = url[:-1]
        else:
            break
    return url


_OPENING = {")": "(", "]": "[", "}": "{"}


def clipped(text: str, limit: int) -> str:
    """At most `limit` characters, cut at a space where one is near; an ellipsis says so."""
    text = text.strip()
    if len(text) <= limit:
        return text
    cut = text[:limit]
    space = max(cut.rfind(" "), cut.rfind("\n"))
    return (cut[:space] if space > limit * 0.8 else cut).rstrip() + " …"


def block_quoted(text: str) -> str:
    """As a markdown quotation, so that what it holds is not read as our own words."""
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def link_text(text: str) -> str:
    """What others wrote, where a markdown link shows it: it neither ends it nor is one itself."""
    return _MARKDOWN.sub(r"\\\g<0>", quotable(text, MAX_LINK_TEXT))


def without_no(answer: str) -> str:
    """What somebody wants instead: without the "no," before and the "instead" around it."""
    return _INSTEAD_AFTER.sub("", _NO_BEFORE.sub("", answer)).strip()


def first_upper(text: str) -> str:
    return text[:1].upper() + text[1:]
