"""JMESPath, with the place of every error. Runs in the child process: no Django.

The library says where an expression does not parse, but not which of its functions fails; the
parser and the interpreter here carry each function's place along. It also evaluates lazily, so
that an unknown function over an empty list is never noticed: here the parser refuses it.
"""

import json
import math
from typing import Any, Never

from jmespath.exceptions import JMESPathTypeError, ParseError
from jmespath.functions import TYPES_MAP, Functions
from jmespath.parser import Parser
from jmespath.visitor import TreeInterpreter

from tools.bounded.failures import LIMIT, Refused

NAME_CHARS = 60

type Node = dict[str, Any]


def query(expression: str, *, data: Any, text: str | None, max_chars: int) -> Any:
    """The result over `data`, or over the JSON in `text`. Refusals: json, syntax, function, arity,
    type, value, limit; their details are JSON objects, those of `limit` a word."""
    parsed = _parse(expression)
    data = data if text is None else _loads(text)
    try:
        result = _PlacingInterpreter().visit(parsed, data)
    except OverflowError:
        raise Refused(LIMIT, "number") from None
    except ValueError as error:  # a slice with the step 0
        _refuse("value", reason=str(error))
    return _bounded(result, max_chars)


def _parse(expression: str) -> Node:
    try:
        parsed: Node = _PlacingParser().parse(expression).parsed
    except ParseError as error:
        _refuse("syntax", position=error.lex_position)
    except (ValueError, IndexError):  # a number too long to be read, a place past the end
        _refuse("syntax", position=len(expression))
    return parsed


def _loads(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_number, parse_float=_finite)
    except json.JSONDecodeError as error:
        _refuse("json", position=error.pos, line=error.lineno, reason=error.msg)
    except ValueError as error:
        _refuse("json", reason=str(error))


def _no_number(name: str) -> Never:
    raise ValueError(f"{name} is no JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits[:NAME_CHARS]} is too large a number")
    return number


def _bounded(result: Any, max_chars: int) -> Any:
    try:
        size = len(json.dumps(result, ensure_ascii=False, allow_nan=False))
    except ValueError:  # not finite, or with more digits than can be written
        raise Refused(LIMIT, "number") from None
    except TypeError:  # an expression reference
        _refuse("value", reason="an expression reference is no value")
    if size > max_chars:
        raise Refused(LIMIT, "output")
    return result


def _refuse(code: str, **facts: Any) -> Never:
    short = {
        name: fact[:NAME_CHARS] if isinstance(fact, str) else fact for name, fact in facts.items()
    }
    raise Refused(code, json.dumps(short, ensure_ascii=False))


class _PlacingParser(Parser):  # type: ignore[misc]  # the library has no types
    def _token_led_lparen(self, left: Node) -> Node:
        position = self._lookahead_token(-2)["start"]
        node: Node = super()._token_led_lparen(left)
        node["position"] = position
        _check_call(node)
        return node


def _check_call(node: Node) -> None:
    name, given = node["value"], len(node["children"])
    place = {"position": node["position"], "name": name}
    if name not in Functions.FUNCTION_TABLE:
        _refuse("function", **place)
    signature = Functions.FUNCTION_TABLE[name]["signature"]
    variadic = bool(signature and signature[-1].get("variadic"))
    if given < len(signature) or (given > len(signature) and not variadic):
        _refuse("arity", **place, needed=len(signature), given=given)


class _PlacingInterpreter(TreeInterpreter):  # type: ignore[misc]  # the library has no types
    def visit_function_expression(self, node: Node, value: Any) -> Any:
        place = {"position": node["position"], "name": node["value"]}
        try:
            return super().visit_function_expression(node, value)
        except JMESPathTypeError as error:
            expected, got = ", ".join(error.expected_types), error.actual_type
            _refuse("type", **place, expected=expected, got=TYPES_MAP.get(got, got))
        except TypeError:  # contains('text', `1`): where the library leaves it to Python
            _refuse("type", **place, expected="", got="")

    def visit_comparator(self, node: Node, value: Any) -> Any:
        try:
            return super().visit_comparator(node, value)
        except TypeError:  # an order of text and number: null, as the specification has it
            return None
