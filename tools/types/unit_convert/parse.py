"""A unit from its text: a product of names and whole numbers, with whole exponents.

product = power { ("*" | "/" | nothing) power }
power   = ("(" product ")" | name { name } | number) [ "^" [sign] number ]
"""

from fractions import Fraction
from typing import Never

from django.utils.translation import gettext as _

from tools.errors import fail
from tools.types.unit_convert.limits import MAX_DEPTH, MAX_EXPONENT, MAX_FACTORS
from tools.types.unit_convert.measures import Measure, Term, Unit, product_name
from tools.types.unit_convert.registry import find_unit, near_names
from tools.types.unit_convert.tokens import END, Token, tokenize

MAX_WORDS = 4  # of one name: `international british thermal unit`
_MAX_NUMBER_DIGITS = 6
_POWERS_BEFORE = {"square": 2, "sq": 2, "cubic": 3, "cu": 3, "平方": 2, "立方": 3}
_POWERS_BEHIND = {"squared": 2, "cubed": 3}
_WRITTEN_POWERS = "23"  # m2, cm3


def parse_unit(text: str) -> Unit:
    """Raises `ToolFailure`: unit, limit."""
    tokens = tokenize(text)
    if tokens[0] is END:
        fail("unit", _("A unit is missing; write 1 for a plain number."))
    parser = _Parser(tokens)
    factors = parser.product(0)
    if parser.token is not END:
        parser.refuse()
    return _combined(factors)


type Factor = tuple[Unit, int]


def _combined(factors: list[Factor]) -> Unit:
    if len(factors) == 1 and factors[0][1] == 1:
        return factors[0][0]
    powers: dict[str, int] = {}
    whole = Measure(Fraction(1))
    for unit, exponent in factors:
        powers[unit.name] = powers.get(unit.name, 0) + exponent
        whole = whole.times(unit.measure.power(exponent))
    terms: list[Term] = [(name, power) for name, power in powers.items() if name != "1"]
    return Unit(product_name(terms), whole)


class _Parser:
    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.index = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.index]

    def takes(self, text: str) -> bool:
        taken = self.token.kind == "sign" and self.token.text == text
        self.index += taken
        return taken

    def refuse(self) -> Never:
        if self.token is END:
            fail("unit", _("The unit ends too early."))
        fail("unit", _("%(text)s is not expected there.") % {"text": self.token.text[:50]})

    def product(self, depth: int) -> list[Factor]:
        if depth > MAX_DEPTH:
            fail("limit", _("The unit is nested too deeply."))
        factors = self.power(depth)
        divided = False
        while True:
            if self.takes("/"):
                divided, sign = True, -1
            elif self.takes("*"):
                sign = 1
            elif self.token.kind in ("name", "number") or self.token.text == "(":
                if divided:
                    fail("unit", _("a/b c has two readings; use brackets."))
                sign = 1
            else:
                return factors
            factors = _checked([*factors, *_raised(self.power(depth), sign)])

    def power(self, depth: int) -> list[Factor]:
        base = self.base(depth)
        return _checked(_raised(base, self.exponent()) if self.takes("^") else base)

    def exponent(self) -> int:
        bracketed = self.takes("(")
        sign = -1 if self.takes("-") else 1
        if sign == 1:
            self.takes("+")
        if self.token.kind != "number":
            fail("unit", _("An exponent is a whole number."))
        digits = self.token.text
        self.index += 1
        if bracketed and not self.takes(")"):
            self.refuse()
        if len(digits) > _MAX_NUMBER_DIGITS:
            _too_large_exponent()
        return sign * int(digits)

    def base(self, depth: int) -> list[Factor]:
        if self.takes("("):
            inner = self.product(depth + 1)
            if not self.takes(")"):
                self.refuse()
            return inner
        if self.token.kind == "number":
            return [self.number()]
        if self.token.kind != "name":
            self.refuse()
        return self.named()

    def number(self) -> Factor:
        digits = self.token.text
        if len(digits) > _MAX_NUMBER_DIGITS or not int(digits):
            fail("limit", _("Numbers in a unit run from 1 to 999999; others are values."))
        self.index += 1
        return Unit(digits, Measure(Fraction(int(digits)))), 1

    def named(self) -> list[Factor]:
        exponent = self.power_before()
        unit, written = self.unit()
        behind = _POWERS_BEHIND.get(self.token.text, 1) if self.token.kind == "name" else 1
        self.index += behind > 1
        return [(unit, exponent * written * behind)]

    def power_before(self) -> int:
        """`square meters`, but not `square_foot`, which has a name of its own."""
        following = self.tokens[self.index + 1] if self.token is not END else END
        power = _POWERS_BEFORE.get(self.token.text.casefold(), 1)
        if power == 1 or following.kind != "name":
            return 1
        self.index += 1
        return power

    def unit(self) -> tuple[Unit, int]:
        """The longest run of words that is a name."""
        words = []
        for token in self.tokens[self.index : self.index + MAX_WORDS]:
            if token.kind != "name":
                break
            words.append(token.text)
        for count in range(len(words), 0, -1):
            if found := _find("_".join(words[:count])):
                self.index += count
                return found
        return _unknown(words[0])


def _find(name: str) -> tuple[Unit, int] | None:
    if unit := find_unit(name):
        return unit, 1
    if name[-1] in _WRITTEN_POWERS and (unit := find_unit(name[:-1])):
        return unit, int(name[-1])
    if name[:2] in ("平方", "立方") and (unit := find_unit(name[2:])):
        return unit, _POWERS_BEFORE[name[:2]]
    return None


def _unknown(name: str) -> tuple[Unit, int]:
    near = near_names(name)
    message = _("%(name)s is no unit that is known here.") % {"name": repr(name[:50])}
    if near:
        message += " " + _("Did you mean %(near)s?") % {"near": ", ".join(near)}
    fail("unit", message, near=near)


def _raised(factors: list[Factor], exponent: int) -> list[Factor]:
    return [(unit, power * exponent) for unit, power in factors]


def _checked(factors: list[Factor]) -> list[Factor]:
    if len(factors) > MAX_FACTORS:
        fail("limit", _("A unit has at most %(max)d parts.") % {"max": MAX_FACTORS})
    if any(abs(power) > MAX_EXPONENT for _unit, power in factors):
        _too_large_exponent()
    return factors


def _too_large_exponent() -> Never:
    fail("limit", _("Exponents run from -%(max)d to %(max)d.") % {"max": MAX_EXPONENT})
