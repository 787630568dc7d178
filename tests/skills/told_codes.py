"""The codes that functions are called with, read out of their sources."""

import ast
import inspect
from collections.abc import Iterator
from types import ModuleType

from skills import gate, policy

NO_REFUSALS = {"granted", "no_permission_needed"}


def codes_of(module: ModuleType, *functions: str) -> set[str]:
    """The codes in the calls of these functions: names without a blank or a capital."""
    return {
        value
        for call in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") in functions
        for value in _constants(call)
    }


def refusals() -> set[str]:
    """Of the gate of skills and of its policy."""
    return (codes_of(gate, "_refuses") | codes_of(policy, "PolicyDecision")) - NO_REFUSALS


def _constants(call: ast.Call) -> Iterator[str]:
    given = [*call.args, *(one.value for one in call.keywords if one.arg == "reason_code")]
    for node in given:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
