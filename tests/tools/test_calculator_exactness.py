"""Where the mathematics is exact, so is the answer; elsewhere 15 digits are right."""

import math
from fractions import Fraction

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tools.types.calculator.tool import calculate

INTEGERS = st.integers(-(10**30), 10**30)
FLOATS = st.floats(1e-6, 1e6, allow_nan=False)


@given(INTEGERS, INTEGERS, st.sampled_from(["+", "-", "*", "//", "%"]))
@settings(max_examples=200, derandomize=True, deadline=None)
def test_it_agrees_with_integers(left: int, right: int, sign: str) -> None:
    assume(right != 0)
    truth = {
        "+": left + right,
        "-": left - right,
        "*": left * right,
        "//": left // right,
        "%": left % right,
    }[sign]
    assert calculate(f"({left}) {sign} ({right})") == str(truth)


@given(st.fractions(max_denominator=10**6), st.integers(1, 10**6))
@settings(max_examples=100, derandomize=True, deadline=None)
def test_it_gets_a_fraction_back_from_its_multiple(number: Fraction, factor: int) -> None:
    text = f"({number.numerator}/{number.denominator})"
    assert calculate(f"{text} * {factor} / {factor} == {text}") == "true"


@given(
    st.sampled_from(["sin", "cos", "atan", "exp", "ln", "sqrt", "sinh", "tanh", "cbrt"]),
    st.floats(0.01, 50, allow_nan=False),
)
@settings(max_examples=200, derandomize=True, deadline=None)
def test_it_agrees_with_the_standard_library(name: str, number: float) -> None:
    truth = getattr(math, {"ln": "log"}.get(name, name))(number)
    assert math.isclose(
        float(calculate(f"{name}({number!r})")), truth, rel_tol=1e-12, abs_tol=1e-14
    )


@given(st.floats(1e-6, 0.999, allow_nan=False))
@settings(max_examples=100, derandomize=True, deadline=None)
def test_it_inverts_its_own_circle_functions(number: float) -> None:
    assert calculate(f"sin(asin({number!r})) == {number!r}") == "true"
    assert calculate(f"cos(acos({number!r})) == {number!r}") == "true"


@given(FLOATS, FLOATS)
@settings(max_examples=100, derandomize=True, deadline=None)
def test_it_divides_decimals_to_fifteen_digits(left: float, right: float) -> None:
    assert math.isclose(float(calculate(f"{left!r}/{right!r}")), left / right, rel_tol=1e-14)
