"""A unit's text in pieces: names, whole numbers, signs. Nothing else gets through."""

import re
from dataclasses import dataclass

from django.utils.translation import gettext as _

from config.base.folding import plain as plain_form
from tools.errors import fail
from tools.types.unit_convert.limits import MAX_UNIT_CHARS

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_RAISED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+")
_SIGNS = str.maketrans({"·": "*", "⋅": "*", "×": "*", "÷": "/", "−": "-", "每": "/", "∙": "*"})
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>[0-9]+) |
        (?P<sign>\*\*|[*/^()+-]) |
        (?P<name>[^\W\d_][\w°]*|[°%][^\W\d_]*)
    )""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Token:
    kind: str  # number, sign, name, end
    text: str


END = Token("end", "")


def tokenize(text: str) -> list[Token]:
    """Raises `ToolFailure`: unit for a character that no unit has, limit for a long text."""
    plain = _plain(text)
    tokens, position = [], 0
    while position < len(plain):
        found = _TOKEN.match(plain, position)
        if found is None:
            character = plain[position:].lstrip()[:1]
            fail("unit", _("%(text)s is not part of a unit.") % {"text": repr(character)})
        tokens.append(_token(found))
        position = found.end()
    return [*tokens, END]


def _token(found: re.Match[str]) -> Token:
    kind = found.lastgroup or ""
    text = found[kind]
    if text.casefold() == "per":
        return Token("sign", "/")
    return Token(kind, "^" if text == "**" else text)


def _plain(text: str) -> str:
    """One spelling of each sign. Some characters become many: the length is judged twice."""
    _check_length(text)
    raised = _RAISED.sub(lambda found: f"^{found[0].translate(_SUPERSCRIPTS)}", text)
    plain = plain_form(raised.translate(_SIGNS), 2 * MAX_UNIT_CHARS).translate(_SIGNS).strip()
    _check_length(plain)
    return plain


def _check_length(text: str) -> None:
    if len(text) > MAX_UNIT_CHARS:
        fail("limit", _("A unit has at most %(max)d characters.") % {"max": MAX_UNIT_CHARS})
