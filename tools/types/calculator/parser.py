"""Tokens to a flat program, by precedence climbing (Pratt).

From loose to tight: comparisons (chained), shifts, `+ -`, `* / // % of`, signs, powers (right to
left), `% !` behind an operand. The program runs on a stack, so a long sum needs no recursion.

`%` is percent unless an operand follows (`5%3` is modulo). Before a minus it is modulo only when
it is glued to both neighbours (`7%-3`), and percent when the other side is a percentage as well.
"""

from dataclasses import dataclass
from fractions import Fraction

from django.utils.translation import gettext as _

from tools.errors import fail
from tools.types.calculator.functions import CONSTANTS, FUNCTIONS
from tools.types.calculator.lexer import Kind, Token, tokenize
from tools.types.calculator.limits import MAX_DEPTH, MAX_STEPS

_COMPARE, _SHIFT, _SUM, _PRODUCT, _SIGNED, _POWER = range(10, 70, 10)
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
_BINARY = {
    "<<": _SHIFT,
    ">>": _SHIFT,
    "+": _SUM,
    "-": _SUM,
    "*": _PRODUCT,
    "/": _PRODUCT,
    "//": _PRODUCT,
    "%": _PRODUCT,
    "mod": _PRODUCT,
    "of": _PRODUCT,
    "**": _POWER,
    "^": _POWER,
}
_ROOTS = {"√": "sqrt", "∛": "cbrt"}


@dataclass(frozen=True, slots=True)
class Push:
    value: int | Fraction


@dataclass(frozen=True, slots=True)
class Constant:
    name: str


@dataclass(frozen=True, slots=True)
class Operate:
    """Take `count` operands from the stack, put one back."""

    sign: str
    count: int


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    count: int


@dataclass(frozen=True, slots=True)
class Compare:
    signs: tuple[str, ...]


type Step = Push | Constant | Operate | Call | Compare


def parse(text: str) -> list[Step]:
    """Raises `ToolFailure`: forbidden, syntax, name, limit."""
    parser = _Parser(tokenize(text))
    parser.expression(0, 0)
    if parser.token.kind is not Kind.END:
        parser.refuse()
    return parser.steps


class _Parser:
    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.index = 0
        self.steps: list[Step] = []

    @property
    def token(self) -> Token:
        return self.tokens[self.index]

    def peek(self, ahead: int = 1) -> Token:
        return self.tokens[min(self.index + ahead, len(self.tokens) - 1)]

    def advance(self) -> Token:
        token = self.token
        self.index += 1
        return token

    def emit(self, step: Step) -> None:
        self.steps.append(step)
        if len(self.steps) > MAX_STEPS:
            fail("limit", _("The expression has too many parts."))

    def refuse(self) -> None:
        token = self.token
        if token.kind is Kind.END:
            fail("syntax", _("The expression ends too early."))
        fail(
            "syntax",
            _("%(text)s is not expected at position %(position)d.")
            % {"text": token.text, "position": token.position + 1},
        )

    def expect(self, text: str) -> None:
        if self.token.text != text:
            self.refuse()
        self.index += 1

    def expression(self, binding: int, depth: int) -> None:
        """One operand and every operator that binds tighter than `binding`."""
        if depth > MAX_DEPTH:
            fail("limit", _("The expression is nested too deeply."))
        self.operand(depth)
        while self.postfix() or self.infix(binding, depth):
            pass

    def operand(self, depth: int) -> None:
        token = self.token
        if token.kind is Kind.NUMBER:
            self.emit(Push(self.advance().value))
        elif token.kind is Kind.NAME:
            self.named(depth)
        elif token.text in ("+", "-"):
            self.signed(depth)
        elif token.text in _ROOTS:
            self.advance()
            self.expression(_POWER + 1, depth + 1)
            self.emit(Call(_ROOTS[token.text], 1))
        elif token.text == "(":
            self.advance()
            self.expression(0, depth + 1)
            self.expect(")")
        else:
            self.refuse()

    def signed(self, depth: int) -> None:
        """A run of signs is counted, not nested."""
        minuses = 0
        while self.token.text in ("+", "-"):
            minuses += self.advance().text == "-"
        self.expression(_SIGNED, depth + 1)
        self.emit(Operate("negate" if minuses % 2 else "plus", 1))

    def named(self, depth: int) -> None:
        name = self.advance().text
        called = self.token.text == "("
        if name in CONSTANTS and not called:
            self.emit(Constant(name))
        elif name in FUNCTIONS and called:
            self.call(name, depth)
        elif name in FUNCTIONS:
            fail("syntax", _("Write %(name)s(…) with its arguments.") % {"name": name})
        elif name in CONSTANTS:
            fail("syntax", _("%(name)s is a number, not a function.") % {"name": name})
        else:
            fail("name", _("%(name)s is not known here.") % {"name": name[:40]})

    def call(self, name: str, depth: int) -> None:
        self.advance()
        count = 0
        while self.token.text != ")":
            if count:
                self.expect(",")
            self.expression(0, depth + 1)
            count += 1
        self.advance()
        FUNCTIONS[name].check_count(name, count)
        self.emit(Call(name, count))

    def postfix(self) -> bool:
        if self.token.text == "!":
            if self.peek().text == "!":
                fail("syntax", _("n!! has two readings; use brackets."))
            self.advance()
            self.emit(Operate("!", 1))
            return True
        if self.token.text == "%" and self.is_percent():
            self.advance()
            self.emit(Operate("percent", 1))
            return True
        return False

    def is_percent(self) -> bool:
        following = self.peek()
        if following.text == "%":
            fail("syntax", _("%% is not an operator."))
        if following.text == "-":
            return self.is_percent_before_minus()
        starts_operand = following.kind in (Kind.NUMBER, Kind.NAME) or following.text == "("
        starts_operand = starts_operand or following.text in _ROOTS
        return not starts_operand or following.text in ("of", "mod")

    def is_percent_before_minus(self) -> bool:
        sign, value, behind = self.peek(), self.peek(2), self.peek(3)
        whole = value.kind is Kind.NUMBER and isinstance(value.value, int)
        percent = not self.token.spaced and (sign.spaced or behind.text == "%")  # 50% - 3, 50%-3%
        modulo = not value.spaced if self.token.spaced else whole  # 7 % -3, 7%-3
        if not percent and not modulo:
            fail("syntax", _("% before - has two readings; use brackets."))
        return percent

    def infix(self, binding: int, depth: int) -> bool:
        sign = self.token.text
        if sign in _COMPARISONS and binding < _COMPARE:
            self.comparison(depth)
            return True
        if binding >= _BINARY.get(sign, 0):
            return False
        self.advance()
        self.right_side(sign, depth)
        self.emit(Operate(sign, 2))
        return True

    def right_side(self, sign: str, depth: int) -> None:
        """A power takes the power on its right first, and a sign there needs no brackets."""
        if _BINARY[sign] == _POWER:
            self.expression(_POWER - 1, depth + 1)
        else:
            self.expression(_BINARY[sign], depth + 1)

    def comparison(self, depth: int) -> None:
        signs = []
        while self.token.text in _COMPARISONS:
            signs.append(self.advance().text)
            self.expression(_COMPARE, depth + 1)
        self.emit(Compare(tuple(signs)))
