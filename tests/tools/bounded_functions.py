"""What tests run in the process of its own. No Django in here."""

import os
import re
import sys
from pathlib import Path
from typing import Any

from tools.bounded.failures import Refused


def repeat(value: Any, times: int = 1) -> list[Any]:
    return [value] * times


def spin() -> None:
    while True:
        pass


def match(pattern: str, text: str) -> bool:
    """In C: no signal of Python's reaches it."""
    return re.fullmatch(pattern, text) is not None


def hog() -> int:
    return len([bytes(1024 * 1024) for _ in range(10_000)])


def nest(depth: int) -> None:
    nest(depth + 1)


def refuse(code: str) -> None:
    raise Refused(code, "here")


def fail() -> None:
    raise ValueError("a bug")


def look() -> dict[str, Any]:
    return {"environment": sorted(os.environ), "django": "django" in sys.modules}


def write(path: str) -> None:
    Path(path).write_text("x")
