"""How documents are named in a message, and what a memory is called."""

import re

from agents.model_clients.rules.intents import Named
from agents.model_clients.rules.text import clipped, first_upper, is_quoted, unquoted

_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
# The end of an id, as we show it: `#1f2e3d4c`. Without # only when it is neither number nor word.
_SHORT_ID = re.compile(
    r"(?P<title>.*?)\s*[(（]?(?:\bid\s*:?\s*)?"
    r"(?:#(?P<marked>[0-9a-f]{8})|\b(?P<bare>(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8}))[)）]?",
    re.IGNORECASE | re.DOTALL,
)
_VERB = re.compile(r"\s+(?:is|are|was|were)\s|[,.;:，。；：]|(?<=.)是")
_MAX_TITLE = 60


def clean_title(words: str) -> str:
    words = words.strip()
    bare = unquoted(words)
    return bare if bare != words else words.strip(" \t\n.,;:!?，。；：！？、")


def named(kind: str, words: str) -> Named:
    """By id, by the end of an id, or by title; a quoted title is taken as it stands."""
    title = clean_title(words)
    if is_quoted(words):
        return Named(kind, title)
    if match := _UUID.search(title):
        return Named(kind, id=match.group().lower())
    if match := _SHORT_ID.fullmatch(title):
        short_id = (match["marked"] or match["bare"]).lower()
        return Named(kind, clean_title(match["title"]), short_id)
    return Named(kind, title)


def memory_title(content: str) -> str:
    """What a statement is about: the words before its verb, else its beginning."""
    line = content.strip().splitlines()[0]
    subject = _VERB.split(line, maxsplit=1)[0].strip()
    if len(subject) < 2 or subject.casefold() in _PRONOUNS:
        subject = line
    return first_upper(clipped(subject.strip(" ,.;:!?，。；：！？"), _MAX_TITLE))


_PRONOUNS = {"i", "we", "he", "she", "it", "they", "you", "this", "that", "我们", "他们", "我的"}
