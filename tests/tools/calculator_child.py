"""`python -m tests.tools.calculator_child`: expressions come in, one a line, outcomes go out.

A line is [expression, seconds]. An expression that takes more than its processor time ends this
process, and one that takes more memory than there is fails: both show on the other side.
"""

import json
import resource
import signal
import sys

import tests.isolation  # noqa: F401  (first: a home of its own)
from tools.errors import ToolFailure
from tools.types.calculator.tool import calculate

MEMORY_BYTES = 256 * 1024 * 1024


def main() -> None:
    calculate("sin(1)")  # what is made once is not the expression's
    with open("/proc/self/statm") as sizes:  # noqa: PTH123 (no file of ours)
        size = int(sizes.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY_BYTES, size + MEMORY_BYTES))
    print("ready", flush=True)
    for line in sys.stdin:
        expression, seconds = json.loads(line)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        told = json.dumps(outcome(expression))
        signal.setitimer(signal.ITIMER_PROF, 0)
        print(told, flush=True)


def outcome(expression: str) -> dict[str, str]:
    try:
        return {"result": calculate(expression)}
    except ToolFailure as failure:
        return {"code": failure.code}
    except Exception as error:  # noqa: BLE001 - whatever it is, it is told
        return {"code": repr(error)[:500]}


if __name__ == "__main__":
    main()
