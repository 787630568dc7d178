"""Starting the child, feeding it, and stopping it."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from config.base.transactions import release_connection
from tools.bounded.failures import LIMIT, Refused
from tools.errors import ToolFailure

# More at once would only make each of them slower, until they all run into their limits.
_places = threading.BoundedSemaphore(2 * (os.cpu_count() or 1))
PATIENCE_SECONDS = 10.0  # for a machine that has no time for it
PLACE_SECONDS = 10.0  # how long a call waits for others to end
_ENVIRONMENT = {"PYTHONUTF8": "1", "PYTHONHASHSEED": "0", "PATH": "/usr/bin:/bin"}


@dataclass(frozen=True, slots=True)
class Limits:
    seconds: float = 2.0  # of processor time
    memory_mb: int = 512  # of addresses, the interpreter's own included
    output_chars: int = 1_000_000


def run_bounded(place: str, arguments: dict[str, Any], limits: Limits | None = None) -> Any:
    """What `MODULE:FUNCTION` answers to the arguments; all of it is JSON.

    The module must not import Django. Raises `Refused`: with the function's own code, or `limit`
    when it was stopped. What else it raises is a bug, and said as one. Raises `ToolFailure` (busy)
    when no place was free in time.
    """
    limits = limits or Limits()
    told = json.dumps(arguments)
    release_connection()
    with _free_place():
        answer = _answer(place, told, limits)
    if "refused" in answer:
        raise Refused(answer["refused"], answer["detail"])
    return answer["value"]


@contextmanager
def _free_place() -> Iterator[None]:
    if not _places.acquire(timeout=PLACE_SECONDS):
        raise ToolFailure(_("Too much is being computed at once; try again later."), code="busy")
    try:
        yield
    finally:
        _places.release()


def _answer(place: str, told: str, limits: Limits) -> dict[str, Any]:
    process = subprocess.Popen(  # noqa: S603 (of ours alone)
        [sys.executable, "-m", "tools.bounded.child", place, _as_json(limits)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=settings.BASE_DIR,
        env=_ENVIRONMENT,
        text=True,
    )
    try:
        out, err = process.communicate(told, timeout=limits.seconds + PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        raise Refused(LIMIT, "time") from None
    finally:  # whatever ends the wait, the alarm of a job too
        process.kill()
        process.wait()
        _close(process)
    if process.returncode < 0:  # by a signal: that of its limit, or of a machine without memory
        raise Refused(LIMIT, "time")
    if process.returncode or not out:
        raise RuntimeError(f"{place} failed in its process:\n{err[-2000:]}")
    answer: dict[str, Any] = json.loads(out)
    return answer


def _close(process: "subprocess.Popen[str]") -> None:
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


def _as_json(limits: Limits) -> str:
    return json.dumps(
        {
            "seconds": limits.seconds,
            "memory_mb": limits.memory_mb,
            "output_chars": limits.output_chars,
        }
    )
