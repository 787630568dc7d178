"""One line about a call for people: what is being done and to what, nothing long."""

from agents.runs.step_lines import STEP_LINES, Arguments

_MAX_LENGTH = 120


def describe_call(name: str, arguments: Arguments | None) -> str:
    """`Fetching http://example.com/`, `Writing “Notes”`; any other tool by its own name."""
    given = arguments or {}
    describe = STEP_LINES.get(name)
    line = describe(given) if describe else _other(name, given)
    line = " ".join(line.split())
    return line if len(line) <= _MAX_LENGTH else line[: _MAX_LENGTH - 1] + "…"


def _other(name: str, arguments: Arguments) -> str:
    words = next((value for value in arguments.values() if isinstance(value, str)), "")
    return f"{name} {words}"
