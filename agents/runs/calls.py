"""Making one call of a step: through the pipeline, or refused by rule before it is prepared."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q
from django.utils.translation import gettext as _

from agents.model_clients.protocol import ToolRequest
from agents.models import Run, RunStep
from agents.runs import events
from agents.runs.actors import actor_of
from agents.runs.describe import describe_call
from agents.runs.fence import RunFence
from agents.runs.keys import call_key
from agents.runs.repeats import MAX_REPEATS, is_repeated_too_often
from config.base.digests import canonical_digest
from tools.enums import DismissReason
from tools.errors import ToolFailure
from tools.models import ActionDraft, Tool, ToolCall
from tools.outcomes import CallError, CallOutcome
from tools.pipeline import call_tool, refuse_call
from tools.reach import HasRead
from tools.schemas import JSON, CallContext
from tools.validation import validate_call

MAX_CALLS = 16  # of one reply; the rest is refused, so that no reply keeps a run busy for ever


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCalls:
    """What the calls of one step have in common. `make` can be called from any thread."""

    fence: RunFence
    run: Run
    steps: Sequence[RunStep]  # the last holds these calls
    tools: dict[str, Tool]
    tool_set: dict[str, bool]
    provenance: frozenset[str]  # of the context that the model saw
    user_urls: tuple[str, ...]
    has_read: HasRead

    def make(self, index: int, request: ToolRequest, *, provenance: frozenset[str]) -> CallOutcome:
        """`provenance` of what was read in this step before."""
        n = self.steps[-1].n
        key = call_key(self.run.pk, n, index)
        known = ToolCall.objects.filter(idempotency_key=key).exists()
        if not known:
            events.emit(
                self.fence,
                "tool.started",
                step=n,
                call_id=f"{n}.{index}",
                tool=request.name[:50],
                title=describe_call(request.name, request.arguments),
            )
        context = self._context(key, provenance)
        tool = self.tools.get(request.name)
        error = self._refusal(index, request, tool, key, known=known)
        if error is not None or tool is None or request.arguments is None:
            return refuse_call(request.name, _told(request), context, error or _no_tool(self.tools))
        return call_tool(tool, request.arguments, context)

    def is_read(self, request: ToolRequest) -> bool:
        """Whether it changes nothing, so that others can be made at the same time."""
        tool = self.tools.get(request.name)
        if tool is None or request.arguments is None:
            return False
        try:
            tool_type, config, arguments = validate_call(tool, request.arguments)
        except ToolFailure:
            return False
        return tool_type.annotations(config, arguments).read_only

    def _refusal(
        self, index: int, request: ToolRequest, tool: Tool | None, key: str, *, known: bool
    ) -> CallError | None:
        if tool is None:
            return _no_tool(self.tools)
        if index >= MAX_CALLS:
            message = _("At most %(n)s calls in one step.") % {"n": MAX_CALLS}
            return CallError("too_many_calls", message)
        if is_repeated_too_often(self.run, self.steps, (self.steps[-1].n, index)):
            message = _(
                "Exactly this call was made %(n)s times in this turn already; it is not made "
                "again. Go on from its results, or answer."
            )
            return CallError("repeated_call", message % {"n": MAX_REPEATS})
        if request.arguments is None:
            return CallError("invalid_arguments", _("The arguments are no JSON object."))
        if not known and self._was_refused(tool, request.arguments, key):
            message = _("The person has already decided about exactly this call in this turn.")
            return CallError("already_decided", message)
        return None

    def _was_refused(self, tool: Tool, arguments: JSON, key: str) -> bool:
        """An identical call after a refusal or an edit is not asked again in this turn."""
        digest = canonical_digest([tool.slug, arguments])
        decided = ActionDraft.objects.filter(
            Q(reason__in=(DismissReason.REFUSED, DismissReason.ANSWERED))
            | Q(edited_arguments__isnull=False),
            call__run_id=self.run.pk,
            call__input_digest=digest,
        )
        return decided.exclude(call__idempotency_key=key).exists()

    def _context(self, key: str, provenance: frozenset[str]) -> CallContext:
        return CallContext(
            actor=actor_of(self.run),
            idempotency_key=key,
            tool_set=self.tool_set,
            provenance=self.provenance | provenance,
            user_urls=self.user_urls,
            has_read=self.has_read,
            unattended=self.run.unattended,
            fence=self.fence,
            look_up=self.fence.look_up,
        )


def _told(request: ToolRequest) -> JSON:
    """What the ledger keeps of a call that was refused."""
    return {"raw": request.raw_arguments} if request.arguments is None else request.arguments


def _no_tool(tools: dict[str, Tool]) -> CallError:
    names = ", ".join(sorted(tools)) or _("none")
    message = _("There is no such tool. Your tools: %(names)s.") % {"names": names}
    return CallError("unknown_tool", message)
