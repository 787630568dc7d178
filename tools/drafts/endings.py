"""How a draft ends: done, failed, unknown, dismissed; with its call, its receipt and its event.

Each within the caller's transaction, which holds the draft's row.
"""

from django.db.models.functions import Now

from config.base import audit
from config.base.actor import Actor
from config.base.storable import storable
from tools import ledger
from tools.decisions import Decision
from tools.drafts.contexts import actor_of
from tools.enums import CallStatus, DismissReason, DraftState
from tools.errors import ToolFailure
from tools.models import ActionDraft
from tools.outcomes import kept_result
from tools.schemas import ToolResult


def succeed(draft: ActionDraft, result: ToolResult, *, started: float) -> None:
    """Receipt, draft state, ledger and audit, in the caller's transaction."""
    draft.state = DraftState.EXECUTED
    draft.receipt = storable(result.receipt)
    draft.result = kept_result(result)
    draft.error_code = draft.error_message = ""
    draft.save()
    ledger.settle(
        draft.call,
        CallStatus.SUCCESS,
        receipt=result.receipt,
        started=started,
        since=ledger.RETRIABLE,
    )
    ledger.keep_content(
        draft.call, arguments=draft.executed_arguments or draft.arguments, output=result.data
    )
    ledger.audit_call(
        draft.call, "tool.call.succeeded", audit.Outcome.SUCCEEDED, actor=actor_of(draft)
    )


def fail(draft: ActionDraft, failure: ToolFailure, *, started: float | None = None) -> None:
    """The tool could not do it; the draft can be edited and tried again."""
    draft.state = DraftState.FAILED
    draft.error_code = failure.code
    draft.error_message = storable(failure.message[:2000])
    draft.save()
    status = CallStatus.TIMEOUT if failure.code == "timeout" else CallStatus.ERROR
    ledger.settle(
        draft.call,
        status,
        error_code=failure.code,
        started=started,
        since=ledger.RETRIABLE,
    )
    ledger.keep_error(draft.call, failure.message)
    ledger.audit_call(
        draft.call,
        "tool.call.failed",
        audit.Outcome.FAILED,
        actor=actor_of(draft),
        reason_code=failure.code,
    )


def give_up(draft: ActionDraft, *, started: float | None = None) -> None:
    draft.state = DraftState.OUTCOME_UNKNOWN
    draft.save()
    ledger.settle(
        draft.call, CallStatus.OUTCOME_UNKNOWN, error_code="outcome_unknown", started=started
    )
    ledger.audit_call(
        draft.call,
        "tool.call.failed",
        audit.Outcome.FAILED,
        actor=actor_of(draft),
        reason_code="outcome_unknown",
    )


def close_dismissed(
    draft: ActionDraft,
    reason: DismissReason,
    *,
    by: Actor | None = None,
    words: str = "",
    error_message: str = "",
    decision: Decision | None = None,
) -> None:
    """End a draft that waits, or that failed, without an effect; a call that is still open ends
    with it and says why.
    """
    draft.state = DraftState.DISMISSED
    draft.reason = reason
    draft.reason_text = storable(words)
    if error_message:
        draft.error_message = storable(error_message[:2000])
    draft.decided_by = by.user if by else None
    draft.save()
    note_decided(draft)
    status = {
        DismissReason.EXPIRED: CallStatus.EXPIRED,
        DismissReason.RUN_CANCELLED: CallStatus.CANCELLED,
        DismissReason.SKILL_GONE: CallStatus.CANCELLED,
        DismissReason.DENIED: CallStatus.DENIED,
    }.get(reason, CallStatus.DISMISSED)
    if draft.call.is_open:
        ledger.settle(draft.call, status, decision=decision, error_code=reason)
    audit.record(
        "draft.dismissed",
        audit.Outcome.CANCELLED,
        actor=by or actor_of(draft),
        target=("action_draft", draft.pk),
        tool=draft.call.tool_slug,
        reason_code=reason,
        metadata={"version": draft.version, "hash": draft.hash},
    )


def note_decided(draft: ActionDraft) -> None:
    """By the database's clock; read back, so that a later save keeps it."""
    ActionDraft.objects.filter(pk=draft.pk).update(decided_at=Now())
    draft.refresh_from_db(fields=["decided_at"])
