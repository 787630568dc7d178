"""Runs a parsed program on a stack, within a time limit."""

import time
from collections.abc import Callable
from decimal import DivisionByZero, InvalidOperation, Overflow, Underflow, localcontext
from fractions import Fraction
from typing import assert_never

from django.utils.translation import gettext as _

from tools.errors import fail
from tools.types.calculator import numbers
from tools.types.calculator.functions import CONSTANTS, FUNCTIONS, factorial
from tools.types.calculator.limits import MAX_SECONDS
from tools.types.calculator.numbers import Number
from tools.types.calculator.parser import Call, Compare, Constant, Operate, Push, Step, parse

type Value = Number | bool

_OPERATIONS: dict[str, Callable[..., Number]] = {
    "+": numbers.add,
    "-": numbers.subtract,
    "*": numbers.multiply,
    "of": numbers.multiply,
    "/": numbers.divide,
    "//": numbers.floor_divide,
    "%": numbers.modulo,
    "mod": numbers.modulo,
    "**": numbers.power,
    "^": numbers.power,
    "<<": lambda left, right: numbers.shift(left, right, left=True),
    ">>": lambda left, right: numbers.shift(left, right, left=False),
    "plus": lambda number: number,
    "negate": numbers.negate,
    "percent": lambda number: numbers.multiply(number, Fraction(1, 100)),
    "!": factorial,
}

_HOLDS: dict[str, Callable[[int], bool]] = {
    "<": lambda order: order < 0,
    "<=": lambda order: order <= 0,
    ">": lambda order: order > 0,
    ">=": lambda order: order >= 0,
    "==": lambda order: order == 0,
    "!=": lambda order: order != 0,
}


def evaluate(text: str) -> Value:
    """Raises `ToolFailure` with one of the codes forbidden, syntax, name, domain, divzero, limit.

    `text` is at most `limits.MAX_CHARS` long.
    """
    steps = parse(text)
    with localcontext(numbers.working_context()):
        try:
            return _run(steps)
        except DivisionByZero:
            fail("divzero", _("Division by zero."))
        except (Overflow, Underflow):
            fail("limit", _("The result is too large or too small to compute."))
        except InvalidOperation:
            fail("domain", _("The result is not a number."))


def _run(steps: list[Step]) -> Value:
    stack: list[Value] = []
    deadline = time.monotonic() + MAX_SECONDS
    for step in steps:
        if time.monotonic() > deadline:
            fail("limit", _("The computation takes too long."))
        stack.append(_take(step, stack))
    return stack.pop()


def _take(step: Step, stack: list[Value]) -> Value:
    match step:
        case Push(value):
            return value
        case Constant(name):
            return CONSTANTS[name]()
        case Operate(sign, count):
            return _OPERATIONS[sign](*_operands(stack, count))
        case Call(name, count):
            return FUNCTIONS[name].compute(*_operands(stack, count))
        case Compare(signs):
            return _compare(signs, _operands(stack, len(signs) + 1))
    assert_never(step)


def _operands(stack: list[Value], count: int) -> list[Number]:
    taken = stack[-count:]
    del stack[-count:]
    for value in taken:
        if isinstance(value, bool):
            fail("domain", _("The outcome of a comparison is not a number."))
    return taken


def _compare(signs: tuple[str, ...], values: list[Number]) -> bool:
    """A chain holds when every link does: 1 < 2 < 3."""
    links = zip(signs, values, values[1:], strict=False)
    return all(_HOLDS[sign](numbers.compare(left, right)) for sign, left, right in links)
