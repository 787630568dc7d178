"""Arithmetic over exact numbers (int, Fraction) and inexact ones (Decimal of 60 digits).

Exact stays exact as long as it fits; a fraction that outgrows `MAX_BITS` goes on as a Decimal, an
integer that does is refused. The caller has set the decimal context (`working_context`).
"""

import math
from decimal import (
    Context,
    Decimal,
    DivisionByZero,
    InvalidOperation,
    Overflow,
    Underflow,
)
from fractions import Fraction

from django.utils.translation import gettext as _

from tools.errors import fail
from tools.types.calculator.limits import MAX_BITS, MAX_INEXACT_EXPONENT, NOISE_DIGITS, PRECISION

type Exact = int | Fraction
type Number = int | Fraction | Decimal

_SMALL_ROOT_BITS = 40  # below, a float holds the root exactly
_NOISE = Decimal(10) ** -NOISE_DIGITS


def working_context() -> Context:
    return Context(
        prec=PRECISION,
        Emax=99_999,
        Emin=-99_999,
        traps=[InvalidOperation, DivisionByZero, Overflow, Underflow],
    )


def to_decimal(number: Number) -> Decimal:
    if isinstance(number, Decimal):
        return number
    if isinstance(number, Fraction):
        return Decimal(number.numerator) / Decimal(number.denominator)
    return +Decimal(number)


def fitted(number: Exact) -> Number:
    """An exact result in its simplest form, or what is left of it when it is too large."""
    if number.denominator.bit_length() > MAX_BITS:
        return to_decimal(number)
    if number.numerator.bit_length() > MAX_BITS:
        return too_large() if number.denominator == 1 else to_decimal(number)
    return number.numerator if number.denominator == 1 else number


def too_large() -> int:
    fail("limit", _("The result is too large to compute exactly."))


def snapped(number: Number) -> Number:
    """An inexact number that differs from an integer by rounding only is that integer."""
    if not isinstance(number, Decimal) or number.adjusted() >= NOISE_DIGITS:
        return number
    nearest = number.to_integral_value()
    if abs(number - nearest) <= _NOISE * max(abs(nearest), Decimal(1)):
        return int(nearest)
    return number


def integer(number: Number, name: str) -> int:
    whole = snapped(number)
    if not isinstance(whole, int):
        fail("domain", _("%(name)s takes whole numbers.") % {"name": name})
    return whole


def add(left: Number, right: Number) -> Number:
    if isinstance(left, Decimal) or isinstance(right, Decimal):
        first, second = to_decimal(left), to_decimal(right)
        return without_noise(first + second, max(abs(first), abs(second)))
    return fitted(left + right)


def subtract(left: Number, right: Number) -> Number:
    return add(left, negate(right))


def without_noise(result: Decimal, magnitude: Decimal) -> Decimal:
    """`sqrt(2)**2 - 2` is zero, not the last digit of the rounding before it."""
    return Decimal(0) if abs(result) < magnitude * _NOISE else result


def negate(number: Number) -> Number:
    return number.copy_negate() if isinstance(number, Decimal) else -number


def multiply(left: Number, right: Number) -> Number:
    if isinstance(left, Decimal) or isinstance(right, Decimal):
        return to_decimal(left) * to_decimal(right)
    return fitted(left * right)


def divide(left: Number, right: Number) -> Number:
    _refuse_zero(right)
    if isinstance(left, Decimal) or isinstance(right, Decimal):
        return to_decimal(left) / to_decimal(right)
    return fitted(Fraction(left) / right)


def floor_divide(left: Number, right: Number) -> Number:
    return floor(divide(left, right))


def modulo(left: Number, right: Number) -> Number:
    """The sign follows the divisor, as floor division demands: -7 % 3 is 2."""
    _refuse_zero(right)
    if isinstance(left, Decimal) or isinstance(right, Decimal):
        return subtract(left, multiply(right, floor_divide(left, right)))
    return fitted(left % right)


def _refuse_zero(number: Number) -> None:
    if number == 0:
        fail("divzero", _("Division by zero."))


def floor(number: Number) -> Number:
    number = snapped(number)
    if isinstance(number, Decimal):
        return _whole(number, number.to_integral_value(rounding="ROUND_FLOOR"))
    return math.floor(number)


def _whole(number: Decimal, rounded: Decimal) -> Number:
    """Above the precision an inexact number is whole already, and its last digits unknown."""
    return number if number.adjusted() >= PRECISION else int(rounded)


def absolute(number: Number) -> Number:
    return negate(number) if number < 0 else number


def compare(left: Number, right: Number) -> int:
    """-1, 0 or 1; rounding alone makes no difference."""
    difference = subtract(left, right)
    return (difference > 0) - (difference < 0)


def shift(number: Number, places: Number, *, left: bool) -> Number:
    value, by = integer(number, "<<"), integer(places, "<<")
    if by < 0:
        fail("domain", _("A shift takes a count of zero or more."))
    if not left:
        return value >> min(by, 2 * MAX_BITS)
    if value.bit_length() + by > MAX_BITS and value:
        return too_large()
    return fitted(value << by) if value else 0


def power(base: Number, exponent: Number) -> Number:
    """0**0 is 1. A negative base takes whole exponents only: the rest is not real."""
    exponent = snapped(exponent)
    if base == 0:
        return _power_of_zero(exponent)
    if isinstance(exponent, int):
        return _whole_power(base, exponent)
    if base < 0:
        fail("domain", _("A negative base with a broken exponent has no real value."))
    if isinstance(exponent, Fraction) and not isinstance(base, Decimal):
        root = exact_root(base, exponent.denominator)
        if root is not None:
            return _whole_power(root, exponent.numerator)
    return _inexact_power(base, exponent)


def _power_of_zero(exponent: Number) -> Number:
    if exponent < 0:
        fail("divzero", _("Zero has no negative powers."))
    return 1 if exponent == 0 else 0


def _whole_power(base: Number, exponent: int) -> Number:
    if isinstance(base, Decimal):
        return _inexact_power(base, exponent)
    if base in (1, -1):
        return base if exponent % 2 else 1
    if not _power_fits(base, abs(exponent)):
        if base.denominator == 1 and exponent > 0:
            return too_large()
        return _inexact_power(base, exponent)
    return fitted(Fraction(base) ** exponent)


def _power_fits(base: Exact, exponent: int) -> bool:
    """Judged before computing: n bits to the power e need more than (n - 1) * e bits."""
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    return (bits - 1) * exponent <= MAX_BITS and exponent <= MAX_BITS


def _inexact_power(base: Number, exponent: Number) -> Number:
    power = to_decimal(exponent)
    if power.adjusted() > MAX_INEXACT_EXPONENT:
        fail("limit", _("The exponent is too large."))
    return to_decimal(base) ** power


def exact_root(number: Exact, degree: int) -> Exact | None:
    """The rational root, if there is one. Degrees past the size of the number have none but 1."""
    if degree > MAX_BITS or number < 0:
        return 1 if number == 1 else None
    above = _integer_root(number.numerator, degree)
    below = _integer_root(number.denominator, degree)
    if above is None or below is None:
        return None
    return Fraction(above, below)


def _integer_root(number: int, degree: int) -> int | None:
    """None when no integer has this power. A float guess leaves Newton a step or two."""
    if number < 2:
        return number
    if degree >= number.bit_length():
        return None
    bits = math.log2(number) / degree
    guess = round(2**bits) if bits < _SMALL_ROOT_BITS else _newton_root(number, degree, bits)
    return guess if guess**degree == number else None


def _newton_root(number: int, degree: int, bits: float) -> int:
    """The integer below the root, from a guess that is surely above it."""
    shift = int(bits) - _SMALL_ROOT_BITS
    guess = (round(2 ** (bits - shift)) + 4_096) << shift
    while True:
        better = ((degree - 1) * guess + number // guess ** (degree - 1)) // degree
        if better >= guess:
            return guess
        guess = better
