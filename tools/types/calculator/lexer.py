"""Text to tokens: one spelling for every sign, and a clear no to what is not arithmetic."""

import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from fractions import Fraction
from typing import Never

from django.utils.translation import gettext as _

from config.base.folding import plain
from tools.errors import fail
from tools.types.calculator.limits import MAX_DIGITS


class Kind(Enum):
    NUMBER = auto()
    NAME = auto()
    SIGN = auto()
    END = auto()


@dataclass(frozen=True, slots=True)
class Token:
    kind: Kind
    text: str
    position: int
    spaced: bool = False  # white space stands before it
    value: int | Fraction = 0


_FULL_WIDTH = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_ALIKE = {
    "*": "×✕✖⋅·∙∗",
    "/": "÷∕⁄",
    "-": "−–‐‑﹣",
    "+": "﹢",
    " ": "\u3000",
    "<=": "≤",
    ">=": "≥",
    "!=": "≠",
    "pi": "π",
    "tau": "τ",
}
_TRANSLATION = _FULL_WIDTH | {ord(char): plain for plain, chars in _ALIKE.items() for char in chars}
_SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+", strict=True))

_FORBIDDEN = re.compile(r"""['"`‘’“”\[\]{}]|:=""")
_ATTRIBUTE = re.compile(r"\.\s*[^\W\d]")
_RADIX = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9_,])(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")
_PLAIN = re.compile(r"(?:[0-9]+(?:_[0-9]+)*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NAME = re.compile(r"[^\W\d]\w*")
_SUPERSCRIPT = re.compile(r"[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_SIGN = re.compile(r"\*\*|//|<<|>>|<=|>=|==|!=|[-+*/%^()<>,!√∛]")


def tokenize(text: str) -> list[Token]:
    """Raises `ToolFailure`: forbidden, syntax, limit. The last token is END.

    `text` is at most `MAX_CHARS` long, which also keeps Python's own limit on digits out of reach.
    """
    plain = text.translate(_TRANSLATION)
    if found := _FORBIDDEN.search(plain):
        fail("forbidden", _("%(sign)s is not arithmetic.") % {"sign": found.group()})
    tokens = list(_Lexer(plain).tokens())
    return [*tokens, Token(Kind.END, "", len(plain))]


class _Lexer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.spaced = False
        self.calls: list[bool] = []  # per open bracket: does it hold arguments?
        self.last = Token(Kind.END, "", 0)

    def tokens(self) -> Iterator[Token]:
        while self.position < len(self.text):
            char = self.text[self.position]
            if char.isspace():
                self.spaced = True
                self.position += 1
                continue
            for token in self._next(char):
                self.last = token
                yield token
            self.spaced = False

    def _next(self, char: str) -> list[Token]:
        if char in "0123456789." and (number := self._number()):
            return [number]
        if char in _SUPERSCRIPTS:
            return self._superscript()
        if (fraction := _vulgar_fraction(char)) is not None:
            return [self._take(Kind.NUMBER, char, fraction)]
        if name := _NAME.match(self.text, self.position):
            return [self._name(name.group())]
        if sign := _SIGN.match(self.text, self.position):
            return [self._sign(sign.group())]
        if char == "." and _ATTRIBUTE.match(self.text, self.position):
            fail("forbidden", _("Attributes are not arithmetic."))
        return self._unknown(char)

    def _take(self, kind: Kind, text: str, value: int | Fraction = 0) -> Token:
        token = Token(kind, text, self.position, self.spaced, value)
        self.position += len(text)
        return token

    def _number(self) -> Token | None:
        for pattern in (_RADIX, _PLAIN) if self._in_call() else (_RADIX, _GROUPED, _PLAIN):
            if found := pattern.match(self.text, self.position):
                self._refuse_split_thousands(found.group())
                value = _number_value(found.group())
                return self._end_number(self._take(Kind.NUMBER, found.group(), value))
        return None

    def _end_number(self, token: Token) -> Token:
        """`2½` is one number; a letter right behind a number is none."""
        char = self.text[self.position : self.position + 1]
        fraction = _vulgar_fraction(char) if char else None
        if fraction is not None and isinstance(token.value, int):
            self.position += 1
            return Token(
                Kind.NUMBER, token.text + char, token.position, token.spaced, token.value + fraction
            )
        if char == "_":
            fail("forbidden", _("Underscores are not arithmetic."))
        if char.isalnum() and char not in _SUPERSCRIPTS:
            fail(
                "syntax",
                _("%(number)s runs into %(char)s; write * between factors.")
                % {"number": token.text, "char": char},
            )
        return token

    def _refuse_split_thousands(self, text: str) -> None:
        """`max(1,000)`: two arguments or a thousand? Not for us to guess."""
        glued = self.last.text == "," and not self.spaced and self._in_call()
        if glued and len(text) == 3 and text.isdigit() and text[0] == "0":
            fail("syntax", _("Write numbers inside function brackets without thousands commas."))

    def _superscript(self) -> list[Token]:
        found = _SUPERSCRIPT.match(self.text, self.position)
        if found is None:
            return self._unknown(self.text[self.position])
        digits = "".join(_SUPERSCRIPTS[char] for char in found.group())
        power = Token(Kind.SIGN, "**", self.position)
        return [power, self._take(Kind.NUMBER, found.group(), int(digits))]

    def _name(self, raw: str) -> Token:
        name = plain(raw, len(raw))
        if "_" in name:
            fail("forbidden", _("Underscores are not arithmetic."))
        if keyword.iskeyword(name):
            fail("forbidden", _("%(word)s is not arithmetic.") % {"word": name})
        token = Token(Kind.NAME, name.casefold(), self.position, self.spaced)
        self.position += len(raw)
        return token

    def _sign(self, text: str) -> Token:
        if text == "(":
            self.calls.append(self.last.kind is Kind.NAME)
        elif text == ")" and self.calls:
            self.calls.pop()
        return self._take(Kind.SIGN, text)

    def _in_call(self) -> bool:
        return bool(self.calls) and self.calls[-1]

    def _unknown(self, char: str) -> list[Token]:
        shown = char if char.isprintable() else f"U+{ord(char):04X}"
        fail(
            "syntax",
            _("%(char)s at position %(position)d is not understood.")
            % {"char": shown, "position": self.position + 1},
        )


def _vulgar_fraction(char: str) -> Fraction | None:
    """½ and its kind, as the exact fraction that its compatibility form spells."""
    spelled = plain(char, 1)
    above, slash, below = spelled.partition("⁄")
    if slash and above.isdigit() and below.isdigit():
        return Fraction(int(above), int(below))
    return None


def _number_value(text: str) -> int | Fraction:
    if len(text) > 1 and text[1] in "xXoObB":
        return int(text, 0)
    mantissa, _e, exponent = text.replace(",", "").replace("_", "").lower().partition("e")
    whole, _dot, decimals = mantissa.partition(".")
    power = int(exponent[:8] or "0") - len(decimals)
    if len(exponent) > 8 or len(mantissa) + abs(power) > MAX_DIGITS:
        _too_long()
    value = Fraction(int(whole + decimals)) * Fraction(10) ** power
    return value.numerator if value.denominator == 1 else value


def _too_long() -> Never:
    fail("limit", _("A number is too large or too long."))
