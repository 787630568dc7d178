"""Running the tool calls of a step: each ends with a result, or the run waits for a person."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Any

from django.db import transaction

from agents.model_clients.protocol import ToolRequest
from agents.models import Message, Run, RunEvent, RunSkill, RunStep
from agents.runs import events
from agents.runs.calls import StepCalls
from agents.runs.fence import RunFence
from agents.runs.parallel import run_together
from agents.runs.prompt import tool_requests, user_urls
from agents.runs.read_urls import ReadUrls
from config.base.faults import fault_point
from config.base.storable import storable
from tools.drafts.represent import draft_json
from tools.models import ActionDraft, Tool
from tools.outcomes import CallOutcome
from tools.registry import find_tool_type


class ToolStep:
    """The calls of the last of these steps. `run_all` says whether each has its result.

    They are begun in the order in which the model asked for them. Reads that stand next to each
    other are made at the same time; a write waits for all before it, and all after it wait for it.
    """

    def __init__(
        self,
        fence: RunFence,
        run: Run,
        said: Sequence[Message],
        steps: Sequence[RunStep],
        *,
        skill: RunSkill | None = None,
        tools: dict[str, Tool],
        tool_set: dict[str, bool],
    ) -> None:
        self.fence, self.run, self.step = fence, run, steps[-1]
        self.requests = tool_requests(self.step)
        self.calls = StepCalls(
            fence=fence,
            run=run,
            steps=steps,
            tools=tools,
            tool_set=tool_set,
            provenance=provenance_of(said, steps, skill),
            user_urls=user_urls(said),
            has_read=ReadUrls(steps, _derived(tools.values())),
        )

    def run_all(self) -> bool:
        waiting = False
        for group in self._groups():
            for index, outcome in self._outcomes(group):
                waiting |= not self._note(index, outcome)
        return not waiting

    def _groups(self) -> Iterator[list[int]]:
        """The calls without a result, in order: a write alone, reads with their neighbours."""
        missing = [n for n in range(len(self.requests)) if str(n) not in self.step.results]
        if len(missing) == 1:
            yield missing
            return
        reads = {n: self.calls.is_read(self.requests[n]) for n in missing}
        for is_read, neighbours in groupby(missing, reads.__getitem__):
            group = list(neighbours)
            yield from [group] if is_read else [[n] for n in group]

    def _outcomes(self, group: list[int]) -> Iterator[tuple[int, CallOutcome]]:
        read = frozenset(self.step.provenance)
        jobs = [partial(self.calls.make, n, self.requests[n], provenance=read) for n in group]
        if len(jobs) == 1:
            yield group[0], jobs[0]()
            return
        for number, outcome in run_together(jobs, look_up=self.fence.look_up):
            yield group[number], outcome

    def _note(self, index: int, outcome: CallOutcome) -> bool:
        """False when this call waits for a person."""
        if outcome.draft is not None and outcome.is_open:
            announce(self.fence, self.run, outcome.draft)
            return False
        self._store(index, self.requests[index], outcome)
        return True

    def _store(self, index: int, request: ToolRequest, outcome: CallOutcome) -> None:
        """The result belongs to the step as soon as it is there."""
        told: dict[str, Any] = storable(outcome.for_model())
        gained = outcome.provenance
        if gained:
            told["provenance"] = sorted(gained)
        with transaction.atomic():
            self.fence()
            self.step.results[str(index)] = told
            self.step.provenance = sorted({*self.step.provenance, *gained})
            self.step.save(update_fields=["results", "provenance"])
            self._note_tool(request.name)
            events.emit(
                self.fence,
                "tool.finished",
                step=self.step.n,
                call_id=f"{self.step.n}.{index}",
                tool=request.name[:50],
                log_id=str(outcome.call.pk),
                status=outcome.call.status,
                duration_ms=outcome.call.duration_ms,
                error=outcome.error.as_json() if outcome.error else None,
            )
        fault_point("step.result")

    def _note_tool(self, slug: str) -> None:
        if slug in self.calls.tools and slug not in self.run.tools:
            self.run.tools = [*self.run.tools, slug]
            Run.objects.filter(pk=self.run.pk).update(tools=self.run.tools)


def announce(fence: RunFence, run: Run, draft: ActionDraft) -> None:
    """Once for each card, also when the process that parked it died before it could say so."""
    announced = RunEvent.objects.filter(run=run, type="action.required", data__id=str(draft.pk))
    if draft.is_waiting and not announced.exists():
        events.emit(fence, "action.required", **draft_json(draft))


def _derived(tools: Iterable[Tool]) -> frozenset[str]:
    """The tools that say again what a model has said to them."""
    types = ((tool.slug, find_tool_type(tool.type)) for tool in tools)
    return frozenset(slug for slug, tool_type in types if tool_type and tool_type.derives)


def provenance_of(
    said: Sequence[Message], steps: Sequence[RunStep], skill: RunSkill | None = None
) -> frozenset[str]:
    """What stands in a run's context window, for the gates: by table, no model involved."""
    found = {kind for message in said for kind in message.provenance}
    found |= {kind for step in steps for kind in step.provenance}
    found |= set(skill.provenance) if skill else set()
    return frozenset(found - {"own"})
