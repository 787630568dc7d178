"""Jinja in its sandbox. Runs in the child process: no Django.

The sandbox keeps a template away from Python's insides; that it ends, and ends small, is the
child's matter. `lipsum` and `random` are taken out: the same call gives the same text.
"""

import json
from typing import Any, Never

from jinja2 import ChainableUndefined, StrictUndefined, Undefined, nodes
from jinja2.exceptions import SecurityError, TemplateSyntaxError, UndefinedError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from tools.bounded.failures import LIMIT, Refused

REASON_CHARS = 200
NESTED = "too many statically nested blocks"
_OTHER_TEMPLATES = (nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)
_PRINTED = (str, int, float, complex, list, tuple, dict, Undefined, type(None))


def fill(
    template: str, values: dict[str, Any], *, strict: bool, escape_html: bool, max_chars: int
) -> str:
    """Refusals: syntax, undefined, forbidden, value, limit; their details are JSON objects with
    `reason` and, where there is one, `line`, those of `limit` a word."""
    environment = _Environment(strict=strict, escape_html=escape_html)
    try:
        return _render(environment, template, values, max_chars)
    except (Refused, MemoryError, RecursionError):
        raise
    except OverflowError:
        raise Refused(LIMIT, "number") from None
    except TemplateSyntaxError as error:
        _refuse("syntax", error.message or "", error.lineno)
    except SyntaxError as error:  # of the Python that Jinja made of it, and its lines
        if error.msg == NESTED:
            raise Refused(LIMIT, "memory") from None
        _refuse("syntax", error.msg)
    except Exception as error:  # noqa: BLE001 (whatever Python's operators and methods raise)
        _refuse(_code_of(error), str(error) or type(error).__name__, _line_of(error))


class _Environment(ImmutableSandboxedEnvironment):
    def __init__(self, *, strict: bool, escape_html: bool) -> None:
        super().__init__(
            autoescape=escape_html,
            undefined=StrictUndefined if strict else ChainableUndefined,
            finalize=_printable,
            keep_trailing_newline=True,
            optimized=False,  # so that errors in constants too have a line
        )
        del self.globals["lipsum"]
        self.filters = {name: each for name, each in self.filters.items() if name != "random"}

    def unsafe_undefined(self, obj: Any, attribute: str) -> Never:
        """At once: an undefined value would do nothing until it is used."""
        raise SecurityError(f"{attribute!r} of {type(obj).__name__!r}")


def _printable(value: Any) -> Any:
    """An object would show as its address, and a generator as itself: `|list` was forgotten."""
    if isinstance(value, _PRINTED):
        return value
    raise TypeError(f"{type(value).__name__!r} can't be printed; try |list or |join")


def _render(
    environment: _Environment, template: str, values: dict[str, Any], max_chars: int
) -> str:
    tree = environment.parse(template)
    for node in tree.find_all(_OTHER_TEMPLATES):
        _refuse("forbidden", type(node).__name__.lower(), node.lineno)
    parts: list[str] = []
    for part in environment.from_string(tree).generate(values):
        max_chars -= len(part)
        if max_chars < 0:
            raise Refused(LIMIT, "output")
        parts.append(part)
    return "".join(parts)


def _code_of(error: Exception) -> str:
    if isinstance(error, SecurityError):
        return "forbidden"
    return "undefined" if isinstance(error, UndefinedError) else "value"


def _line_of(error: Exception) -> int | None:
    """Jinja puts frames with the template's own lines into the traceback; the innermost counts."""
    line, frame = None, error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_filename == "<template>":
            line = frame.tb_lineno
        frame = frame.tb_next
    return line


def _refuse(code: str, reason: str, line: int | None = None) -> Never:
    shown = "".join(each if each.isprintable() else " " for each in reason[:REASON_CHARS])
    raise Refused(code, json.dumps({"reason": shown, "line": line}, ensure_ascii=False))
