"""A value as text: exact in full, otherwise 15 significant digits."""

from decimal import Context, Decimal, Inexact
from fractions import Fraction

from tools.types.calculator.limits import MAX_DIGITS, SHOWN_DIGITS
from tools.types.calculator.numbers import Number, to_decimal

_FULL_FRACTION_DIGITS = 40
_PLAIN_ZEROS = 7  # decimals below this many zeros are written with an exponent


def render(value: Number | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return _plain(Decimal(value))
    exact = _terminating(value) if isinstance(value, Fraction) else None
    if exact is not None:
        return _shown(exact, _FULL_FRACTION_DIGITS)
    return _shown(Context(prec=SHOWN_DIGITS).plus(to_decimal(value)), SHOWN_DIGITS)


def _terminating(value: Fraction) -> Decimal | None:
    """The decimal that the fraction is, if it has one that is short enough to read."""
    context = Context(prec=_FULL_FRACTION_DIGITS, traps=[Inexact])
    try:
        return context.divide(Decimal(value.numerator), Decimal(value.denominator))
    except Inexact:
        return None


def _shown(number: Decimal, digits: int) -> str:
    if not number:
        return "0"
    if -_PLAIN_ZEROS <= number.adjusted() < digits:
        return _plain(number)
    mantissa = _plain(number.scaleb(-number.adjusted(), Context(prec=MAX_DIGITS)))
    return f"{mantissa}e{number.adjusted():+d}"


def _plain(number: Decimal) -> str:
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
