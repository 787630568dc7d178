"""`python -m tools.bounded.child MODULE:FUNCTION LIMITS`: arguments come in, an answer goes out.

Both are JSON. It knows no settings, no database and no secret, and must not import Django: it is
started for each call.
"""

import json
import resource
import signal
import sys
from importlib import import_module
from typing import Any

from tools.bounded.failures import LIMIT, Refused

DETAIL_CHARS = 500


def main() -> None:
    place, told = sys.argv[1:]
    limits = json.loads(told)
    _limit(limits)
    module, _, name = place.partition(":")
    function = getattr(import_module(module), name)
    # Of its own time, from now on: a busy machine that is slow to start it takes nothing away.
    signal.setitimer(signal.ITIMER_PROF, limits["seconds"])  # ends the process
    answer = json.dumps(_answer(function, json.load(sys.stdin)), allow_nan=False)
    if len(answer) > limits["output_chars"]:
        answer = json.dumps({"refused": LIMIT, "detail": "output"})
    sys.stdout.write(answer)


def _limit(limits: dict[str, Any]) -> None:
    bytes_ = limits["memory_mb"] * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (bytes_, bytes_))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _answer(function: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"value": function(**arguments)}
    except Refused as refused:
        return {"refused": refused.code, "detail": refused.detail[:DETAIL_CHARS]}
    except (MemoryError, RecursionError, OverflowError):
        return {"refused": LIMIT, "detail": "memory"}


if __name__ == "__main__":
    main()
