"""Running the tool calls of a step: each through the pipeline, each ends with a result."""

from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from agents.model_clients.protocol import ToolRequest
from agents.models import Message, Run, RunEvent, RunStep
from agents.runs import events
from agents.runs.actors import actor_of
from agents.runs.describe import describe_call
from agents.runs.fence import RunFence
from agents.runs.keys import call_key
from agents.runs.prompt import history, tool_requests, user_urls
from config.base.digests import canonical_digest
from config.base.faults import fault_point
from config.base.storable import storable
from tools.enums import DismissReason
from tools.models import ActionDraft, Tool, ToolCall
from tools.outcomes import CallError, CallOutcome
from tools.pipeline import call_tool, refuse_call
from tools.represent import draft_json
from tools.schemas import CallContext

MAX_CALLS = 16  # of one reply; the rest is refused, so that no reply keeps a run busy for ever


class ToolStep:
    """One step's calls. `run_all` says whether every one of them has its result."""

    def __init__(
        self,
        fence: RunFence,
        run: Run,
        step: RunStep,
        *,
        tools: dict[str, Tool],
        tool_set: dict[str, bool],
        provenance: frozenset[str],
    ) -> None:
        self.fence, self.run, self.step = fence, run, step
        self.tools, self.tool_set = tools, tool_set
        self.provenance = provenance
        self.user_urls = user_urls(run)

    def run_all(self) -> bool:
        waiting = False
        for index, request in enumerate(tool_requests(self.step)):
            if str(index) not in self.step.results:
                waiting |= not self._run_one(index, request)
        return not waiting

    def _run_one(self, index: int, request: ToolRequest) -> bool:
        """False when this call waits for a person."""
        key = call_key(self.run.pk, self.step.n, index)
        known = ToolCall.objects.filter(idempotency_key=key).exists()
        if not known:
            events.emit(
                self.fence,
                "tool.started",
                step=self.step.n,
                call_id=f"{self.step.n}.{index}",
                tool=request.name[:50],
                title=describe_call(request.name, request.arguments),
            )
        outcome = self._call(index, request, key, known=known)
        if outcome.draft is not None and outcome.is_open:
            self._announce(outcome.draft)
            return False
        self._store(index, request, outcome)
        return True

    def _announce(self, draft: ActionDraft) -> None:
        """Once for each card, also when the process that parked it died before it could say so."""
        announced = RunEvent.objects.filter(
            run=self.run, type="action.required", data__id=str(draft.pk)
        )
        if draft.is_waiting and not announced.exists():
            events.emit(self.fence, "action.required", **draft_json(draft))

    def _call(self, index: int, request: ToolRequest, key: str, *, known: bool) -> CallOutcome:
        context = self._context(key)
        tool = self.tools.get(request.name)
        if tool is None:
            names = ", ".join(sorted(self.tools)) or _("none")
            message = _("There is no such tool. Your tools: %(names)s.") % {"names": names}
            error = CallError("unknown_tool", message)
            return refuse_call(request.name, request.arguments or {}, context, error)
        if request.arguments is None:
            error = CallError("invalid_arguments", _("The arguments are no JSON object."))
            return refuse_call(tool.slug, {"raw": request.raw_arguments}, context, error)
        if index >= MAX_CALLS:
            error = CallError(
                "too_many_calls", _("At most %(n)s calls in one step.") % {"n": MAX_CALLS}
            )
            return refuse_call(tool.slug, request.arguments, context, error)
        if not known and self._was_refused(tool, request, key):
            error = CallError(
                "already_decided",
                _("The person has already decided about exactly this call in this turn."),
            )
            return refuse_call(tool.slug, request.arguments, context, error)
        return call_tool(tool, request.arguments, context)

    def _context(self, key: str) -> CallContext:
        return CallContext(
            actor=actor_of(self.run),
            idempotency_key=key,
            tool_set=self.tool_set,
            provenance=self.provenance | frozenset(self.step.provenance),
            user_urls=self.user_urls,
            unattended=self.run.unattended,
            fence=self.fence,
        )

    def _was_refused(self, tool: Tool, request: ToolRequest, key: str) -> bool:
        """An identical call after a refusal or an edit is not asked again in this turn."""
        digest = canonical_digest([tool.slug, request.arguments])
        decided = ActionDraft.objects.filter(
            call__run_id=self.run.pk, call__input_digest=digest
        ).exclude(call__idempotency_key=key)
        refused = decided.filter(reason__in=(DismissReason.REFUSED, DismissReason.ANSWERED))
        return refused.exists() or decided.filter(edited_arguments__isnull=False).exists()

    def _store(self, index: int, request: ToolRequest, outcome: CallOutcome) -> None:
        """The result belongs to the step before the next call begins."""
        told: dict[str, Any] = storable(outcome.for_model())
        gained = outcome.result.provenance if outcome.result else frozenset()
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
        if slug in self.tools and slug not in self.run.tools:
            self.run.tools = [*self.run.tools, slug]
            Run.objects.filter(pk=self.run.pk).update(tools=self.run.tools)


def provenance_of(run: Run, steps: list[RunStep]) -> frozenset[str]:
    """What stands in this run's context window, for the gates: by table, no model involved."""
    messages: list[Message] = history(run)
    found = {kind for message in messages for kind in message.provenance}
    found |= {kind for step in steps for kind in step.provenance}
    return frozenset(found - {"own"})
