"""The functions and constants of the calculator: the table is also what the description lists."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import reduce

from django.utils.translation import gettext as _

from tools.errors import fail
from tools.types.calculator import numbers, series
from tools.types.calculator.limits import MAX_BITS, MAX_ROUND_DIGITS, PRECISION
from tools.types.calculator.numbers import Exact, Number, integer, to_decimal

_MANY = 1_000


@dataclass(frozen=True, slots=True)
class Function:
    compute: Callable[..., Number]
    least: int = 1
    most: int = 1

    def check_count(self, name: str, count: int) -> None:
        if not self.least <= count <= self.most:
            fail(
                "syntax",
                _("%(name)s does not take %(count)d arguments.") % {"name": name, "count": count},
            )


def square_root(number: Number) -> Number:
    return root(number, 2)


def cube_root(number: Number) -> Number:
    return root(number, 3)


def root(number: Number, degree: Number) -> Number:
    """Real roots: an odd root of a negative number is negative."""
    n = integer(degree, "root")
    if n < 1 or (number < 0 and n % 2 == 0):
        fail("domain", _("There is no real root."))
    if number < 0:
        return numbers.negate(root(numbers.negate(number), n))
    if n == 2 and isinstance(number, Decimal):
        return number.sqrt()
    return numbers.power(number, Fraction(1, n))


def natural_log(number: Number) -> Number:
    _refuse_unless_positive(number)
    if number == 1:
        return 0
    with localcontext() as context:
        if not isinstance(number, Decimal):
            context.prec += _digits_near_one(number)
        result = to_decimal(number).ln()
    return +result


def _refuse_unless_positive(number: Number) -> None:
    if number <= 0:
        fail("domain", _("A logarithm takes numbers above zero."))


def _digits_near_one(number: Exact) -> int:
    """Digits that ln(1 + tiny) would lose."""
    digits = -to_decimal(Fraction(number) - 1).adjusted()
    if digits > MAX_ROUND_DIGITS:
        fail("limit", _("The number is too close to 1."))
    return max(0, digits)


def logarithm(number: Number, base: Number | None = None) -> Number:
    if base is None:
        return natural_log(number)
    below = natural_log(base)
    if below == 0:
        fail("domain", _("A logarithm has no base 1."))
    result = numbers.divide(natural_log(number), below)
    whole = numbers.snapped(result)
    exact = isinstance(whole, int) and abs(whole) <= MAX_BITS
    return whole if exact and numbers.power(base, whole) == number else result


def exponential(number: Number) -> Number:
    return 1 if number == 0 else to_decimal(number).exp()


def sine(angle: Number) -> Number:
    return 0 if angle == 0 else series.sin_cos(angle)[0]


def cosine(angle: Number) -> Number:
    return 1 if angle == 0 else series.sin_cos(angle)[1]


def tangent(angle: Number) -> Number:
    if angle == 0:
        return 0
    above, below = series.sin_cos(angle)
    if below == 0:
        fail("domain", _("The tangent has no value there."))
    return above / below


def arc_tangent(number: Number) -> Number:
    return 0 if number == 0 else series.arctan(number)


def arc_sine(number: Number) -> Number:
    rest = _one_minus_square(number)
    if rest == 0:
        return pi() / 2 if number > 0 else -pi() / 2
    return arc_tangent(numbers.divide(number, square_root(rest)))


def arc_cosine(number: Number) -> Number:
    _one_minus_square(number)
    above, below = numbers.subtract(1, number), numbers.add(1, number)
    if above == 0:
        return 0
    if below == 0:
        return pi()
    half = arc_tangent(square_root(numbers.divide(above, below)))
    return numbers.multiply(2, half)


def _one_minus_square(number: Number) -> Number:
    if numbers.compare(numbers.absolute(number), 1) > 0:
        fail("domain", _("The argument must be between -1 and 1."))
    rest = numbers.multiply(numbers.subtract(1, number), numbers.add(1, number))
    return max(0, rest)


def arc_tangent_of(y: Number, x: Number) -> Number:
    if x == 0 and y == 0:
        fail("domain", _("The origin has no direction."))
    if x == 0:
        return pi() / 2 if y > 0 else -pi() / 2
    angle = arc_tangent(numbers.divide(y, x))
    if x > 0:
        return angle
    return numbers.add(angle, pi()) if y >= 0 else numbers.subtract(angle, pi())


def hyperbolic_tangent(number: Number) -> Number:
    if number == 0:
        return 0
    if numbers.absolute(number) > PRECISION * 2:
        return Decimal(1).copy_sign(to_decimal(number))
    above, below = series.sinh_cosh(number)
    return above / below


def to_degrees(angle: Number) -> Number:
    return numbers.divide(numbers.multiply(angle, 180), pi())


def to_radians(angle: Number) -> Number:
    return numbers.divide(numbers.multiply(angle, pi()), 180)


def hypotenuse(*sides: Number) -> Number:
    return square_root(total(*(numbers.multiply(side, side) for side in sides)))


def rounded(number: Number, digits: Number = 0) -> Number:
    """Halves go away from zero, as on paper."""
    places = integer(digits, "round")
    if abs(places) > MAX_ROUND_DIGITS:
        fail("limit", _("round takes at most %(digits)d digits.") % {"digits": MAX_ROUND_DIGITS})
    scaled = numbers.multiply(number, Fraction(10) ** places)
    magnitude = numbers.floor(numbers.add(numbers.absolute(scaled), Fraction(1, 2)))
    result = magnitude if scaled >= 0 else numbers.negate(magnitude)
    return numbers.multiply(result, Fraction(10) ** -places)


def ceiling(number: Number) -> Number:
    return numbers.negate(numbers.floor(numbers.negate(number)))


def truncated(number: Number) -> Number:
    return numbers.floor(number) if number >= 0 else ceiling(number)


def sign_of(number: Number) -> Number:
    return (number > 0) - (number < 0)


def smallest(*values: Number) -> Number:
    return reduce(lambda best, one: one if numbers.compare(one, best) < 0 else best, values)


def largest(*values: Number) -> Number:
    return reduce(lambda best, one: one if numbers.compare(one, best) > 0 else best, values)


def total(*values: Number) -> Number:
    return reduce(numbers.add, values)


def mean(*values: Number) -> Number:
    return numbers.divide(total(*values), len(values))


def greatest_divisor(*values: Number) -> Number:
    return math.gcd(*(integer(value, "gcd") for value in values))


def least_multiple(*values: Number) -> Number:
    result = 1
    for value in values:
        result = math.lcm(result, integer(value, "lcm"))
        numbers.fitted(result)
    return result


def factorial(number: Number) -> Number:
    n = _count(number, "factorial")
    if _is_large_product(n, n):  # n! > (n/e)^n
        return numbers.too_large()
    return numbers.fitted(math.factorial(n))


def _is_large_product(n: int, factors: int) -> bool:
    """Whether (n/e)^factors outgrows `MAX_BITS`; in integers, which have no largest one."""
    return factors * (2 * n.bit_length() - 5) > 2 * MAX_BITS


def combinations(of: Number, chosen: Number) -> Number:
    n, k = _count(of, "comb"), _count(chosen, "comb")
    if k > n:
        return 0
    k = min(k, n - k)
    if k * (n.bit_length() - k.bit_length() - 1) > MAX_BITS or k > MAX_BITS:  # > (n/k)^k, 2^k
        return numbers.too_large()
    return numbers.fitted(math.comb(n, k))


def permutations(of: Number, chosen: Number) -> Number:
    n, k = _count(of, "perm"), _count(chosen, "perm")
    if k > n:
        return 0
    if _is_large_product(n, k):  # > (n/e)^k
        return numbers.too_large()
    return numbers.fitted(math.perm(n, k))


def _count(number: Number, name: str) -> int:
    count = integer(number, name)
    if count < 0:
        fail("domain", _("%(name)s takes numbers of zero or more.") % {"name": name})
    return count


def integer_root(number: Number) -> Number:
    return math.isqrt(_count(number, "isqrt"))


def pi() -> Decimal:
    return +series.circle()


CONSTANTS: dict[str, Callable[[], Number]] = {
    "pi": pi,
    "tau": lambda: +(2 * series.circle()),
    "e": lambda: Decimal(1).exp(),
}

FUNCTIONS: dict[str, Function] = {
    "abs": Function(numbers.absolute),
    "sign": Function(sign_of),
    "round": Function(rounded, 1, 2),
    "floor": Function(numbers.floor),
    "ceil": Function(ceiling),
    "trunc": Function(truncated),
    "min": Function(smallest, 1, _MANY),
    "max": Function(largest, 1, _MANY),
    "sum": Function(total, 1, _MANY),
    "mean": Function(mean, 1, _MANY),
    "avg": Function(mean, 1, _MANY),
    "sqrt": Function(square_root),
    "cbrt": Function(cube_root),
    "root": Function(root, 2, 2),
    "isqrt": Function(integer_root),
    "pow": Function(numbers.power, 2, 2),
    "exp": Function(exponential),
    "ln": Function(natural_log),
    "log": Function(logarithm, 1, 2),
    "log2": Function(lambda number: logarithm(number, 2)),
    "log10": Function(lambda number: logarithm(number, 10)),
    "sin": Function(sine),
    "cos": Function(cosine),
    "tan": Function(tangent),
    "asin": Function(arc_sine),
    "acos": Function(arc_cosine),
    "atan": Function(arc_tangent),
    "atan2": Function(arc_tangent_of, 2, 2),
    "sinh": Function(lambda number: series.sinh_cosh(number)[0] if number else 0),
    "cosh": Function(lambda number: series.sinh_cosh(number)[1] if number else 1),
    "tanh": Function(hyperbolic_tangent),
    "degrees": Function(to_degrees),
    "radians": Function(to_radians),
    "hypot": Function(hypotenuse, 1, 10),
    "gcd": Function(greatest_divisor, 1, _MANY),
    "lcm": Function(least_multiple, 1, _MANY),
    "factorial": Function(factorial),
    "comb": Function(combinations, 2, 2),
    "perm": Function(permutations, 2, 2),
}
