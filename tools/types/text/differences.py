"""A unified diff. Runs in the child process: for some texts it takes cubic time. No Django."""

from collections.abc import Iterator
from difflib import unified_diff

from tools.bounded.failures import LIMIT, Refused

NO_NEWLINE = "\n\\ No newline at end of file\n"


def diff(text: str, other: str, *, context: int, max_chars: int) -> str:
    """Lines end at a line feed alone, so that other line endings show as a difference."""
    parts: list[str] = []
    for line in _diff_lines(text, other, context):
        max_chars -= len(line)
        if max_chars < 0:
            raise Refused(LIMIT, "output")
        parts.append(line)
    return "".join(parts)


def _diff_lines(text: str, other: str, context: int) -> Iterator[str]:
    for line in unified_diff(_lines(text), _lines(other), "text", "other", n=context):
        yield line if line.endswith("\n") else line + NO_NEWLINE


def _lines(text: str) -> list[str]:
    *whole, rest = text.split("\n")
    return [f"{line}\n" for line in whole] + ([rest] if rest else [])
