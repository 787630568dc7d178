"""A value in one unit as a value in another, exactly."""

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Never

from django.utils.translation import gettext as _

from tools.errors import fail
from tools.types.calculator.render import render
from tools.types.unit_convert.limits import MAX_DECIMAL_EXPONENT, MAX_NUMBER_CHARS
from tools.types.unit_convert.measures import Unit, Zero, product_name
from tools.types.unit_convert.parse import parse_unit

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE](?P<exponent>[+-]?[0-9]{1,9}))?")


@dataclass(frozen=True, slots=True)
class Converted:
    result: str
    rounded: bool
    source: str
    target: str


def convert(value: str | int | float, source: str, target: str) -> Converted:
    """Raises `ToolFailure`: number, unit, dimension, limit."""
    number = parse_number(value)
    origin, aim = parse_unit(source), parse_unit(target)
    _check_same_dimension(origin, aim)
    base = number * origin.measure.factor + origin.measure.offset
    _check_temperature(base, origin, aim)
    exact = (base - aim.measure.offset) / aim.measure.factor
    shown = render(exact)
    return Converted(shown, Fraction(shown) != exact, origin.name, aim.name)


def parse_number(value: str | int | float) -> Fraction:
    if isinstance(value, int) and value.bit_length() > 4 * MAX_NUMBER_CHARS:
        _too_long()
    text = str(value).strip().replace("−", "-")
    if len(text) > MAX_NUMBER_CHARS:
        _too_long()
    found = _NUMBER.fullmatch(text)
    if found is None:
        fail(
            "number",
            _("%(text)s is no decimal number; write it like -12.5 or 3e8.")
            % {"text": repr(text[:40])},
        )
    if abs(int(found["exponent"] or 0)) > MAX_DECIMAL_EXPONENT:
        fail("limit", _("Decimal exponents end at %(max)d.") % {"max": MAX_DECIMAL_EXPONENT})
    return Fraction(Decimal(text))


def _too_long() -> Never:
    fail("limit", _("A number has at most %(max)d characters.") % {"max": MAX_NUMBER_CHARS})


def _check_same_dimension(origin: Unit, aim: Unit) -> None:
    names = {"source": origin.name, "target": aim.name}
    bases = origin.measure.bases
    if bases and bases == {name: -power for name, power in aim.measure.bases.items()}:
        fail(
            "dimension",
            _("One of %(source)s and %(target)s is the reciprocal of the other: convert 1/value.")
            % names,
        )
    if bases != aim.measure.bases:
        fail(
            "dimension",
            _(
                "%(source)s measures %(source_bases)s and %(target)s measures %(target_bases)s: "
                "one is not the other."
            )
            % {**names, "source_bases": _bases_of(origin), "target_bases": _bases_of(aim)},
        )
    if {origin.measure.zero, aim.measure.zero} == {Zero.POINT, Zero.DIFFERENCE}:
        fail(
            "dimension",
            _(
                "%(source)s and %(target)s: one is a temperature, the other a difference of two. "
                "Use delta_degC and delta_degF for differences."
            )
            % names,
        )


def _bases_of(unit: Unit) -> str:
    return product_name(list(unit.measure.bases.items()))


def _check_temperature(kelvins: Fraction, origin: Unit, aim: Unit) -> None:
    if Zero.POINT in (origin.measure.zero, aim.measure.zero) and kelvins < 0:
        fail("number", _("That is below absolute zero."))
