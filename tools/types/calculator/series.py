"""Circle functions by their series, over Decimal: the standard library has them for floats only."""

from decimal import Decimal, localcontext
from functools import lru_cache

from django.utils.translation import gettext as _

from tools.errors import fail
from tools.types.calculator.limits import MAX_TRIG_MAGNITUDE, NOISE_DIGITS, PRECISION
from tools.types.calculator.numbers import Number, to_decimal

_GUARD = 10
_CIRCLE_DIGITS = PRECISION + MAX_TRIG_MAGNITUDE + 5 * _GUARD


@lru_cache(maxsize=1)
def circle() -> Decimal:
    """Pi, by Machin's formula in integers."""
    one = 10 ** (_CIRCLE_DIGITS + _GUARD)
    scaled = 4 * (4 * _inverse_arctan(5, one) - _inverse_arctan(239, one))
    return Decimal(scaled).scaleb(-(_CIRCLE_DIGITS + _GUARD))


def _inverse_arctan(divisor: int, one: int) -> int:
    term = one // divisor
    total, odd, sign = term, 1, 1
    while term:
        term //= divisor * divisor
        odd, sign = odd + 2, -sign
        total += sign * (term // odd)
    return total


def sin_cos(angle: Number) -> tuple[Decimal, Decimal]:
    """In radians. What rounding alone leaves of a zero is zero."""
    with localcontext(prec=_CIRCLE_DIGITS):
        value = to_decimal(angle)
        if value.adjusted() > _largest_magnitude(angle):
            fail("limit", _("The angle is too large."))
        quarters = (value / (circle() / 2)).to_integral_value()
        rest = value - quarters * (circle() / 2)
        sine, cosine = _taylor(rest, first=rest, start=1), _taylor(rest, first=Decimal(1), start=0)
        turned = _turn(sine, cosine, int(quarters % 4))
    return _settle(turned[0], angle), _settle(turned[1], angle)


def _largest_magnitude(angle: Number) -> int:
    """An inexact angle loses one digit of its place on the circle with each of its own."""
    return PRECISION - NOISE_DIGITS if isinstance(angle, Decimal) else MAX_TRIG_MAGNITUDE


def _taylor(x: Decimal, *, first: Decimal, start: int, sign: int = -1) -> Decimal:
    """x^n/n! for n = start, start + 2, …, with alternating signs unless `sign` is 1."""
    square, total, term, n = x * x, first, first, start
    smallest = Decimal(10) ** -_CIRCLE_DIGITS * abs(first)
    while abs(term) > smallest:
        n += 2
        term = sign * term * square / (n * (n - 1))
        total += term
    return total


def _turn(sine: Decimal, cosine: Decimal, quarters: int) -> tuple[Decimal, Decimal]:
    return [(sine, cosine), (cosine, -sine), (-sine, -cosine), (-cosine, sine)][quarters]


def _settle(result: Decimal, angle: Number) -> Decimal:
    if isinstance(angle, Decimal) and abs(result) < abs(angle).scaleb(-NOISE_DIGITS):
        return Decimal(0)
    return +result


def arctan(number: Number) -> Decimal:
    with localcontext(prec=PRECISION + 2 * _GUARD):
        value = to_decimal(number)
        inverted = abs(value) > 1
        result = _small_arctan(1 / value if inverted else value)
        if inverted:
            result = (circle() / 2).copy_sign(value) - result
    return +result


def _small_arctan(value: Decimal) -> Decimal:
    for _halving in range(3):
        value = value / (1 + (1 + value * value).sqrt())
    square, power, total, odd = value * value, value, value, 1
    while power and abs(power) > abs(total).scaleb(-(PRECISION + 2 * _GUARD)):
        power, odd = -power * square, odd + 2
        total += power / odd
    return 8 * total


def sinh_cosh(number: Number) -> tuple[Decimal, Decimal]:
    value = to_decimal(number)
    if abs(value) < 1:
        with localcontext(prec=PRECISION + _GUARD):
            sine = _taylor(value, first=value, start=1, sign=1)
            cosine = _taylor(value, first=Decimal(1), start=0, sign=1)
        return +sine, +cosine
    grown, shrunk = value.copy_abs().exp(), value.copy_abs().copy_negate().exp()
    return ((grown - shrunk) / 2).copy_sign(value), (grown + shrunk) / 2
