"""Any text at all ends soon, in little memory, with a value or a code."""

import resource
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.errors import ToolFailure
from tools.types.calculator.functions import FUNCTIONS
from tools.types.calculator.limits import MAX_CHARS
from tools.types.calculator.tool import calculate

CODES = {"empty", "syntax", "name", "forbidden", "domain", "divzero", "limit"}
MAX_WALL_SECONDS = 2.0
MAX_GROWTH_KILOBYTES = 128 * 1024
MAX_OUTPUT_CHARS = 10_000

HOSTILE = {
    "ten thousand brackets": "(" * 10_000 + "1" + ")" * 10_000,
    "a few thousand brackets": "(" * 1_900 + "1" + ")" * 1_900,
    "a long sum": "1" + "+1" * 200_000,
    "a sum that just fits": "1" + "+1" * 700,
    "a sum past the number of parts": "1" + "+1" * 1_900,
    "signs": "-" * 3_900 + "1",
    "powers of powers": "2**" * 1_300 + "2",
    "nested functions": "sqrt(" * 600 + "2" + ")" * 600,
    "one long number": "9" * MAX_CHARS,
    "products of long numbers": "*".join(["9" * 90] * 43),
    "sums of awkward fractions": "+".join(f"1/(10**2400+{n})" for n in range(230)),
    "products of awkward fractions": "*".join(f"(1+1/(10**2400+{n}))" for n in range(180)),
    "many factorials": "+".join(["factorial(1600)"] * 240),
    "many binomials": "+".join(["comb(16000,8000)"] * 230),
    "many roots": "+".join(["root(10**4900-1,37)"] * 190),
    "high roots": "+".join(["root(10**4900-1,999)"] * 190),
    "many sines": "+".join(["sin(10**99+1)"] * 280),
    "many logarithms near one": "+".join(["ln(1+1e-999)"] * 290),
    "many powers": "+".join(["1.1**0.123"] * 360),
    "huge exponents": "1.0000001**(10**40)",
    "a factorial of a factorial": "factorial(factorial(factorial(5)))",
    "gcd of large numbers": "+".join([f"gcd(7**5800,3**{n})" for n in range(9_000, 9_180)]),
    "a shift by a shift": "1<<(1<<(1<<60))",
    "rounding to many digits": "+".join(["round(1/3,1000)"] * 240),
    "modulo of large by small": "+".join(["(10**4900)%(1/(7**5000))"] * 160),
    "floats of large numbers": "+".join(["(10**4900)*pi"] * 290),
}


def outcome(text: str) -> str:
    """The value or the code; any other exception fails the test."""
    try:
        return calculate(text)
    except ToolFailure as failure:
        code = failure.code
    assert code in CODES
    return code


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_it_survives_hostile_expressions(text: str) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.process_time()
    result = outcome(text)
    assert time.process_time() - started < MAX_WALL_SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MAX_GROWTH_KILOBYTES
    assert len(result) <= MAX_OUTPUT_CHARS


FRAGMENTS = st.sampled_from(
    [
        *"0123456789.,()+-*/%^!<>=eE_'\"[] ×÷√½²−，（）",
        *("**", "//", "<<", ">>", "==", "!=", "1e9", "9**9", "0.5", "of", "mod", "None", "pi"),
        *(f"{name}(" for name in FUNCTIONS),
    ]
)


@given(st.lists(FRAGMENTS, max_size=40).map("".join))
@settings(max_examples=400, deadline=None, derandomize=True)
def test_it_ends_any_pile_of_fragments_with_a_value_or_a_code(text: str) -> None:
    assert len(outcome(text)) <= MAX_OUTPUT_CHARS


@given(st.text(max_size=60))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_it_ends_any_text_with_a_value_or_a_code(text: str) -> None:
    outcome(text)


@given(
    st.recursive(
        st.integers(0, 99).map(str) | st.sampled_from(["0.5", "pi", "1e3"]),
        lambda inner: (
            st.tuples(inner, st.sampled_from("+-*/%^"), inner).map(lambda t: f"({' '.join(t)})")
            | st.tuples(st.sampled_from(["sqrt", "ln", "cos", "exp"]), inner).map(
                lambda t: f"{t[0]}({t[1]})"
            )
        ),
        max_leaves=12,
    )
)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_it_ends_well_formed_expressions_with_a_value_or_a_code(text: str) -> None:
    assert outcome(text) not in {"empty", "syntax", "name", "forbidden"}
