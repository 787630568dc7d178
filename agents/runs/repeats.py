"""A model that makes the same call for ever is told so, by rule, instead of being obeyed."""

from collections.abc import Sequence

from agents.models import Run, RunStep
from agents.runs.keys import parse_call_key
from config.base.digests import canonical_digest
from tools.enums import CallStatus, Effect
from tools.models import ToolCall
from tools.schemas import JSON

MAX_REPEATS = 3  # of one call in one turn, as long as nothing was changed in between

type Place = tuple[int, int]  # step, index


def is_repeated_too_often(run: Run, steps: Sequence[RunStep], place: Place) -> bool:
    """`steps` of the run up to the one that holds this call."""
    call = steps[-1].tool_calls[place[1]]
    same = [
        (step.n, index)
        for step in steps
        for index, other in enumerate(step.tool_calls)
        if (step.n, index) < place and _are_equal(other, call)
    ]
    if len(same) < MAX_REPEATS:
        return False
    changed = _last_change(run, except_by=canonical_digest([call["name"], call["arguments"]]))
    return sum(other > changed for other in same) >= MAX_REPEATS


def _are_equal(one: JSON, other: JSON) -> bool:
    """Whatever the order of the arguments; those that are no JSON are compared as text."""
    if (one["name"], one["arguments"]) != (other["name"], other["arguments"]):
        return False
    return one["arguments"] is not None or bool(one["raw_arguments"] == other["raw_arguments"])


def _last_change(run: Run, *, except_by: str) -> Place:
    """Where something was last written: afterwards the same read may tell something else."""
    rows = ToolCall.objects.filter(run_id=run.pk, status=CallStatus.SUCCESS)
    keys = rows.exclude(effect=Effect.NONE).exclude(input_digest=except_by)
    places = [parse_call_key(key) for key in keys.values_list("idempotency_key", flat=True)]
    return max((place[1:] for place in places if place), default=(0, 0))
