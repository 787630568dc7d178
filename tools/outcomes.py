"""What a call came to, as the pipeline hands it to its callers."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from config.base.storable import storable
from tools.enums import FAILED_STATUSES, CallStatus, DismissReason, DraftState
from tools.models import ActionDraft, ToolCall
from tools.registry import find_tool_type
from tools.schemas import JSON, ToolResult

if TYPE_CHECKING:
    from tools.errors import ToolFailure


@dataclass(frozen=True, slots=True)
class CallError:
    code: str
    message: str
    details: JSON = field(default_factory=dict)
    # Whether a peer's words may stand in it; of a recorded one nobody knows.
    heard_peer: bool = field(default=True, compare=False)
    for_operator: str = field(default="", compare=False)  # of one that is told for the first time

    @classmethod
    def of(cls, failure: "ToolFailure") -> "CallError":
        heard_peer = bool(failure.details.get("request_sent"))
        advice = str(failure.for_operator)
        return cls(failure.code, failure.message, failure.details, heard_peer, advice)

    def as_json(self) -> JSON:
        return {"code": self.code, "message": self.message, **self.details}


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOutcome:
    """Exactly one of `result`, `error` and `draft` (one that still waits) says how it stands."""

    call: ToolCall
    result: ToolResult | None = None
    error: CallError | None = None
    draft: ActionDraft | None = None
    replayed: bool = False  # the recorded outcome of an earlier, equal call

    @property
    def success(self) -> bool:
        return self.result is not None

    @property
    def is_open(self) -> bool:
        return self.call.is_open

    @property
    def provenance(self) -> frozenset[str]:
        """What reading it brings into a run: a peer's failure tells its words as a result does."""
        if self.result is not None:
            return self.result.provenance
        tool_type = find_tool_type(self.call.tool_type)
        if tool_type is None or self.error is None or self.call.status not in FAILED_STATUSES:
            return frozenset()
        quotes = tool_type.quotes_peers and self.error.heard_peer
        return frozenset({"untrusted"}) if quotes or not tool_type.first_party else frozenset()

    def for_model(self) -> JSON:
        """What the model is told: every call ends with a result, whatever happened."""
        if self.result is not None:
            told: JSON = {"success": True, "data": self.result.data}
            if self.result.warnings:
                told["warnings"] = self.result.warnings
            return told
        error = self.error or CallError("tool_error", _("The tool failed."))
        return {"success": False, "error": error.as_json()}


_DISMISSED = {
    DismissReason.REFUSED: (
        "dismissed",
        gettext_lazy("It was dismissed on its card; nothing was done."),
    ),
    DismissReason.ANSWERED: (
        "answered",
        gettext_lazy("The person answered instead; nothing was done."),
    ),
    DismissReason.EXPIRED: ("expired", gettext_lazy("Nobody confirmed in time; nothing was done.")),
    DismissReason.RUN_CANCELLED: (
        "cancelled",
        gettext_lazy("The run was cancelled; nothing was done."),
    ),
    DismissReason.DENIED: (
        "denied",
        gettext_lazy("This is no longer permitted; nothing was done."),
    ),
    DismissReason.REPLACED: (
        "dismissed",
        gettext_lazy("It was replaced by your correction."),
    ),
    DismissReason.TAKEN_BACK: (
        "dismissed",
        gettext_lazy("It was taken back; nothing was done."),
    ),
    DismissReason.SKILL_GONE: (
        "cancelled",
        gettext_lazy("Its skill is not installed any more; nothing was done."),
    ),
}


def outcome_of_draft(call: ToolCall, draft: ActionDraft) -> CallOutcome:
    """How a call stands whose draft a person decided, or still has to."""
    if draft.state == DraftState.EXECUTED:
        return CallOutcome(call=call, result=_executed_result(draft), replayed=True)
    if draft.state == DraftState.DISMISSED:
        return CallOutcome(call=call, error=_dismissed_error(draft), replayed=True)
    if draft.state == DraftState.FAILED:
        return CallOutcome(call=call, error=CallError(draft.error_code, draft.error_message))
    if draft.state == DraftState.OUTCOME_UNKNOWN or not call.is_open:
        return CallOutcome(call=call, error=recorded_error(call))
    return CallOutcome(call=call, draft=draft)


def _executed_result(draft: ActionDraft) -> ToolResult:
    """As it was when it happened; a person's edit is told along with it."""
    kept: JSON = draft.result or {"data": draft.receipt or {}}
    warnings = [_describe_edit(draft)] if draft.edited_arguments else []
    return ToolResult(
        data=kept["data"],
        receipt=draft.receipt or {},
        metadata=kept.get("metadata", {}),
        warnings=[*kept.get("warnings", []), *warnings],
        provenance=frozenset(kept.get("provenance", ())),
    )


def kept_result(result: ToolResult) -> JSON:
    """What a draft keeps of a result, so that the run that resumes is told all of it."""
    kept: JSON = storable(
        {
            "data": result.data,
            "metadata": result.metadata,
            "warnings": result.warnings,
            "provenance": sorted(result.provenance),
        }
    )
    return kept


def _describe_edit(draft: ActionDraft) -> str:
    """Told plainly, so that the model does not ask for its own version again."""
    proposed, executed = draft.proposed_arguments, draft.executed_arguments or {}
    changed = [
        f"{name} from {proposed.get(name)!r} to {executed.get(name)!r}"[:300]
        for name in sorted({*proposed, *executed})
        if proposed.get(name) != executed.get(name)
    ]
    return f"The person changed {', '.join(changed)}; that has been executed."


def _dismissed_error(draft: ActionDraft) -> CallError:
    code, words = _DISMISSED[DismissReason(draft.reason)]
    message = str(words)
    if draft.reason == DismissReason.DENIED and draft.error_message:
        message = f"{message} {draft.error_message}"
    if draft.reason_text:
        message = f"{message} Their words: {draft.reason_text}"
    return CallError(code, message)


def recorded_error(call: ToolCall) -> CallError:
    """The error of a call that ended without success, as far as the log keeps it."""
    if call.status == CallStatus.OUTCOME_UNKNOWN:
        return CallError(
            "outcome_unknown",
            _("It was sent, but nobody can say whether it arrived. It is not sent again."),
        )
    message = call.error_message or _("It ended so before; what was said then is not kept.")
    return CallError(call.error_code or call.status, message)
