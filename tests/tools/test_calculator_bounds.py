"""Any input ends within 2 s of processor time and 256 MB, in a process that is held to it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.test_calculator_limits import CODES, HOSTILE, MAX_OUTPUT_CHARS
from tools.types.calculator.functions import CONSTANTS, FUNCTIONS
from tools.types.calculator.limits import MAX_CHARS

ROOT = Path(__file__).parents[2]
many = settings(max_examples=150, derandomize=True, deadline=None)


class Child:
    """Begun anew after an expression that ended it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def outcome(self, expression: str, seconds: float = 2.0) -> str:
        """The code, or "" for a value."""
        process = self._process or self._start()
        told = self._ask(process, json.dumps([expression, seconds]))
        if not told:
            self.stop()
            pytest.fail(f"it took more than it may: {expression[:200]}")
        answer = json.loads(told)
        assert len(answer.get("result", "")) <= MAX_OUTPUT_CHARS
        return str(answer.get("code", ""))

    def _start(self) -> "subprocess.Popen[str]":
        self._process = process = subprocess.Popen(
            [sys.executable, "-m", "tests.tools.calculator_child"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process

    def _ask(self, process: "subprocess.Popen[str]", line: str) -> str:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{line}\n")
        process.stdin.flush()
        return process.stdout.readline()

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


@pytest.fixture(scope="module")
def child() -> Iterator[Child]:
    one = Child()
    yield one
    one.stop()


# --- Expressions by the grammar, with the numbers that hurt ---

LARGE = st.sampled_from(
    [
        "10**4900", "2**16383", "(2**16383-1)", "7**5800", "3**10330", "1e4900", "1e-4900",
        "9" * 400, "(10**2400+1)", "1/(10**2400+7)", "1/(7**5000)", "(1+1e-999)", "(1-1e-60)",
        "1e40", "1e-40",
        "1600!", "factorial(1650)", "comb(16000,8000)", "perm(1700,1600)", "1<<16000", "1e99",
        "0x" + "f" * 900, "(1/3)", "(22/7)**900", "1.0000001", "sqrt(2)", "exp(90000)",
        "exp(-90000)", "ln(10**4900)", "tan(pi/2)", "1e-99999999", "1e99999999",
    ]
)  # fmt: skip
LEAF = st.one_of(
    LARGE,
    st.integers(0, 20_000).map(str),
    st.integers(0, 10**30).map(str),
    st.floats(1e-9, 1e9).map(repr),
    st.sampled_from(sorted(CONSTANTS)),
    st.integers(1, 900).map(lambda count: "7" * count),
)
SIGNS = st.sampled_from(
    ["+", "-", "*", "/", "//", "%", "**", "^", "<<", ">>", "<", "<=", "==", "!=", " of ", " mod "]
)
ONE = st.sampled_from(sorted(name for name, one in FUNCTIONS.items() if one.least == 1))
TWO = st.sampled_from(sorted(name for name, one in FUNCTIONS.items() if one.least <= 2 <= one.most))
SEVERAL = st.sampled_from(sorted(name for name, one in FUNCTIONS.items() if one.most > 2))


def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, SIGNS, inner).map("({0[0]}{0[1]}{0[2]})".format),
        st.tuples(ONE, inner).map("{0[0]}({0[1]})".format),
        st.tuples(TWO, inner, inner).map("{0[0]}({0[1]},{0[2]})".format),
        st.tuples(SEVERAL, st.lists(inner, min_size=1, max_size=5).map(",".join)).map(
            "{0[0]}({0[1]})".format
        ),
        inner.map("{}!".format),
        inner.map("-{}".format),
        inner.map("({}%)".format),
        inner.map("√{}".format),
    )


EXPRESSIONS = st.recursive(LEAF, larger, max_leaves=8)


@many
@given(EXPRESSIONS)
def test_any_expression_ends(child: Child, expression: str) -> None:
    assert child.outcome(expression) in {"", *CODES}


@many
@given(EXPRESSIONS.filter(lambda text: len(text) < 80), st.sampled_from("+*-/,^"))
def test_any_expression_ends_as_often_as_it_fits(child: Child, text: str, sign: str) -> None:
    """What is nearly too much once is repeated until no more may be written."""
    repeated = sign.join([text] * (MAX_CHARS // (len(text) + 1)))
    expression = f"sum({repeated[:-4]})" if sign == "," else repeated
    assert child.outcome(expression) in {"", *CODES}


@many
@given(
    st.lists(
        st.sampled_from(["sqrt(", "ln(", "exp(", "factorial(", "2**(", "(", "sin(", "cbrt(", "-",
                         "gcd(3,", "log(3,", "root(9,", "1<<(", "asin(", "round(7,", "√",
                         "atan(1e9+"]),
        min_size=1, max_size=60,
    ),
    LEAF,
)  # fmt: skip
def test_any_chain_of_functions_ends(child: Child, opened: list[str], leaf: str) -> None:
    chain = "".join(opened)
    assert child.outcome(f"{chain}{leaf}{')' * chain.count('(')}") in {"", *CODES}


@many
@given(st.text(max_size=MAX_CHARS))
def test_any_text_ends(child: Child, text: str) -> None:
    assert child.outcome(text.encode("utf-8", "replace").decode()) in {"", *CODES}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_any_hostile_expression_ends(child: Child, text: str) -> None:
    assert child.outcome(text) in {"", *CODES}


@pytest.mark.parametrize(
    "expression",
    [
        "9**9**9", "10**10**10%7", "2**(10**30)", "(1/3)**(10**30)", "1<<10**12", "(10**9)!",
        "factorial(10**15)", "comb(10**15,10**14)", "perm(10**15,10**14)", "factorial(1e6)",
        "1e99999999", "round(1/3,10**9)", "sin(10**1000)", "root(2,10**30)**(10**50)",
        "factorial(10**4900)", "perm(10**4900,10**4900)",
        "comb(10**4900,10**4800)", "(10**4900)!",
        "exp(exp(exp(exp(9))))", "2**2**2**2**2**2", "lcm(7**5000,11**4000,13**4000)",
        "((10**4000)**100)**100", "10**5000*10**5000",
    ],
)  # fmt: skip
def test_what_is_too_large_is_refused_before_it_is_computed(child: Child, expression: str) -> None:
    assert child.outcome(expression, seconds=0.2) == "limit"
