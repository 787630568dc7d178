"""What the gate costs: a call through the pipeline, beside the same executor called bare.

`python -m bench.overhead` works on a database of its own (DATABASE_URL: on that one) and prints
one line of JSON. The two take turns, so a slow moment of the machine meets both.
"""

import json
import time
from collections.abc import Callable

from django.core.management import call_command

import tests.isolation  # noqa: F401  (first: a home of its own)
from bench.figures import median, p95
from config.base.actor import Actor, Origin
from config.base.ids import uuid7
from tests.processes.people import person
from tools.execution import tool_context
from tools.models import Tool, ToolCall
from tools.pipeline import call_tool
from tools.schemas import JSON, CallContext
from tools.validation import validate_call

ROUNDS, WARM_UP = 400, 40


def main() -> None:
    call_command("migrate", verbosity=0)
    actor = Actor(user=person("bench")[0], origin=Origin.API)
    read = measure(lambda _n: {"expression": "12.5% of 80 + 2^10"}, "calculator", actor)
    write = measure(_save, "document", actor)
    print(json.dumps({"read": read, "write": write}))


def _save(n: int) -> JSON:
    return {"action": "create", "title": f"Note {n}", "content": "Some words.\n" * 20}


def measure(arguments_of: Callable[[int], JSON], slug: str, actor: Actor) -> dict[str, float]:
    tool = Tool.objects.get(slug=slug)
    pairs = [_pair(tool, arguments_of(n), actor) for n in range(WARM_UP + ROUNDS)][WARM_UP:]
    over = [through - bare for bare, through in pairs]
    return {
        "median": median(over),
        "p95": p95(over),
        "bare_median": median([bare for bare, _through in pairs]),
    }


def _pair(tool: Tool, arguments: JSON, actor: Actor) -> tuple[float, float]:
    """Milliseconds of the bare executor, then of the pipeline."""
    bare = _bare(tool, arguments, actor)
    context = CallContext(
        actor=actor, idempotency_key=f"bench:{uuid7()}", tool_set={tool.slug: False}
    )
    started = time.perf_counter()
    outcome = call_tool(tool, arguments, context)
    through = (time.perf_counter() - started) * 1000
    if outcome.result is None:
        raise SystemExit(f"the call did not succeed: {outcome.error}")
    return bare, through


def _bare(tool: Tool, arguments: JSON, actor: Actor) -> float:
    """Validated and planned beforehand: nothing but `execute`."""
    tool_type, config, parsed = validate_call(tool, arguments)
    context = tool_context(
        ToolCall(tool_id=tool.pk, tool_slug=tool.slug),
        CallContext(actor=actor, idempotency_key="bare"),
        seconds=60,
    )
    plan = tool_type.plan(parsed, config, context)
    started = time.perf_counter()
    tool_type.execute(plan, config, context)
    return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    main()
