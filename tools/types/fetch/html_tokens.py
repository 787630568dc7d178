"""HTML to tokens, in one pass and linear time whatever the bytes are.

`html.parser` takes 22 s for 45 KB of `<a <a <a`, and a standard tree grows to gigabytes from
nested formatting elements (measured); pages come from strangers, so neither reads them here.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

NAME = re.compile(r"[a-z][^\s/>]{0,63}", re.IGNORECASE)
ATTRIBUTE = re.compile(
    r"""[\s/]*+([^\s/>=]++)(?:\s*+=\s*+("[^"]*"|'[^']*'|[^\s>]*+))?+""", re.IGNORECASE
)
LONG_NUMBER = re.compile(r"&#x?[0-9a-f]{8,}+;?", re.IGNORECASE)  # int() refuses thousands of digits
KEPT_ATTRIBUTES = frozenset({"href", "src", "alt", "hidden", "aria-hidden", "style", "role"})
RAW_TEXT = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE)
    for name in ("script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes")
}


@dataclass(frozen=True, slots=True)
class Start:
    name: str
    attributes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class End:
    name: str


type Token = Start | End | str


def read_tokens(text: str) -> Iterator[Token]:
    """Start tags, end tags and unescaped text; comments and declarations are left out."""
    position = 0
    while (mark := text.find("<", position)) >= 0:
        if mark > position:
            yield unescape(text[position:mark])
        token, position = _read_markup(text, mark)
        if token is not None:
            yield token
        if isinstance(token, Start) and token.name in RAW_TEXT:
            end = RAW_TEXT[token.name].search(text, position)
            stop = end.start() if end else len(text)
            yield unescape(text[position:stop])
            position = stop
    if position < len(text):
        yield unescape(text[position:])


def unescape(text: str) -> str:
    if "&" not in text:
        return text
    return html.unescape(LONG_NUMBER.sub("\ufffd", text)).replace("\0", "\ufffd")


def _read_markup(text: str, mark: int) -> tuple[Token | None, int]:
    """What begins at the `<`, and where to read on; an unclosed construct takes all the rest."""
    if found := NAME.match(text, mark + 1):
        attributes, position = _read_attributes(text, found.end())
        return Start(found[0].lower(), attributes), position
    if text.startswith("</", mark):
        found = NAME.match(text, mark + 2)
        return (End(found[0].lower()) if found else None), _after(text, ">", mark)
    if text.startswith("<!--", mark):
        return None, _after(text, "-->", mark + 4)
    if text.startswith(("<!", "<?"), mark):
        return None, _after(text, ">", mark)
    return "<", mark + 1


def _read_attributes(text: str, position: int) -> tuple[dict[str, str], int]:
    attributes: dict[str, str] = {}
    while found := ATTRIBUTE.match(text, position):
        position = found.end()
        name = found[1].lower()
        if name in KEPT_ATTRIBUTES and name not in attributes:
            attributes[name] = unescape(_unquoted(found[2] or ""))
    return attributes, _after(text, ">", position)


def _unquoted(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if quoted else value


def _after(text: str, what: str, position: int) -> int:
    found = text.find(what, position)
    return len(text) if found < 0 else found + len(what)
