"""Acting outside: the intent is committed first, then it is sent, at most once and never silently.

A process that died in between leaves a draft CONFIRMED and a call RUNNING past its deadline. A
tool that is idempotent is sent again under the same key; of any other nobody knows whether it
arrived, so it becomes OUTCOME_UNKNOWN and waits for a person.
"""

import time
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now

from config.base import audit
from config.base.digests import canonical_digest
from config.base.errors import LeaseLost
from config.base.faults import fault_point
from config.base.storable import storable
from tools import ledger
from tools.decisions import Decision
from tools.drafts.contexts import actor_of, context_of
from tools.drafts.park import create_row, fail, lock_draft
from tools.enums import CallStatus, DraftKind, DraftState, Effect
from tools.errors import ToolFailure
from tools.execution import prepare, run_executor, tool_context
from tools.gates import PreparedCall
from tools.models import ActionDraft, ToolCall
from tools.registry import find_tool_type
from tools.schemas import CallContext, ToolResult


def record_intent(
    call: ToolCall, prepared: PreparedCall, decision: Decision, context: CallContext
) -> ActionDraft:
    """A draft that the gates let pass without a person: what exactly is about to be sent."""
    ledger.settle(call, CallStatus.OPEN, effect=Effect.OUTSIDE, decision=decision)
    ledger.keep_content(call, arguments=prepared.plan.arguments, output=None)
    draft = create_row(call, prepared, context, kind=DraftKind.ACTION, state=DraftState.CONFIRMED)
    begin_sending(draft, prepared)
    return draft


def begin_sending(draft: ActionDraft, prepared: PreparedCall) -> None:
    """Within the caller's transaction: after its commit this draft counts as being sent."""
    draft.state = DraftState.CONFIRMED
    draft.attempt += 1
    draft.executed_arguments = prepared.plan.arguments
    draft.save()
    seconds = prepared.tool_type.timeout_seconds(prepared.config)
    ledger.mark_running(draft.call, seconds=seconds)


def carry_out(draft: ActionDraft) -> ActionDraft:
    """Send what was committed as the intent, then write down how it ended."""
    attempt, started = draft.attempt, time.monotonic()
    try:
        result = _send(draft)
    except ToolFailure as failure:
        return _settle(draft.pk, attempt, failure, started)
    fault_point("call.sent")
    return _settle(draft.pk, attempt, result, started)


def _send(draft: ActionDraft) -> ToolResult:
    context, call = context_of(draft), draft.call
    if call.tool is None:
        raise ToolFailure("The tool is gone.", code="unknown_tool", request_sent=False)
    try:
        prepared = prepare(call.tool, draft.executed_arguments or draft.arguments, call, context)
    except ToolFailure as failure:
        failure.details["request_sent"] = False
        raise
    seconds = prepared.tool_type.timeout_seconds(prepared.config)
    approved = draft.decided_by_id is not None
    return run_executor(
        prepared,
        tool_context(call, context, seconds=seconds, approved=approved, peer_key=_peer_key(draft)),
    )


def _peer_key(draft: ActionDraft) -> str:
    """The same for a repetition of the same request, another for an edited one."""
    return f"{draft.call_id}-{canonical_digest(draft.executed_arguments)[:12]}"


def _settle(
    draft_id: UUID, attempt: int, ended: ToolResult | ToolFailure, started: float
) -> ActionDraft:
    with transaction.atomic():
        draft = lock_draft(draft_id)
        if draft is None:
            raise LeaseLost
        if draft.state != DraftState.CONFIRMED or draft.attempt != attempt:
            return draft  # given up as lost, or decided by a person, while this one hung
        if isinstance(ended, ToolResult):
            succeed(draft, ended, started=started)
        elif _is_uncertain(draft, ended):
            _give_up(draft, started=started)
        else:
            fail(draft, ended, started=started)
        return draft


def _is_uncertain(draft: ActionDraft, failure: ToolFailure) -> bool:
    """A type that knows whether bytes left says so; else its codes tell."""
    tool_type = find_tool_type(draft.call.tool_type)
    by_code = tool_type is None or failure.code in tool_type.uncertain_codes
    return bool(failure.details.get("request_sent", by_code))


def succeed(draft: ActionDraft, result: ToolResult, *, started: float) -> None:
    """Receipt, draft state, ledger and audit, in the caller's transaction."""
    draft.state = DraftState.EXECUTED
    draft.receipt = storable(result.receipt)
    draft.result = storable(result.data)
    draft.error_code = draft.error_message = ""
    draft.save()
    ledger.settle(draft.call, CallStatus.SUCCESS, receipt=result.receipt, started=started)
    ledger.keep_content(
        draft.call, arguments=draft.executed_arguments or draft.arguments, output=result.data
    )
    ledger.audit_call(
        draft.call, "tool.call.succeeded", audit.Outcome.SUCCEEDED, actor=actor_of(draft)
    )


def _give_up(draft: ActionDraft, *, started: float | None = None) -> None:
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


def recover_lost(call: ToolCall, *, overdue_only: bool = False) -> ActionDraft:
    """What becomes of a call whose process died between intent and receipt.

    `overdue_only`: for those who know of the death by the deadline alone, judged under the lock,
    so that of two sweeps one acts.
    """
    with transaction.atomic():
        draft = lock_draft(ActionDraft.objects.values_list("pk", flat=True).get(call=call))
        if draft is None:
            raise LeaseLost
        if draft.state != DraftState.CONFIRMED or (overdue_only and not _overdue(call)):
            return draft
        if not _may_send_again(draft):
            _give_up(draft)
            return draft
        draft.attempt += 1
        draft.save()
        ledger.mark_running(draft.call, seconds=_seconds(draft))
    return carry_out(draft)


def _overdue(call: ToolCall) -> bool:
    return ToolCall.objects.filter(pk=call.pk, deadline_at__lte=Now()).exists()


def _may_send_again(draft: ActionDraft) -> bool:
    """Only what its type calls idempotent for these arguments; in doubt, no."""
    try:
        return _prepared(draft).annotations.idempotent
    except ToolFailure:
        return False


def _seconds(draft: ActionDraft) -> float:
    prepared = _prepared(draft)
    return prepared.tool_type.timeout_seconds(prepared.config)


def _prepared(draft: ActionDraft) -> PreparedCall:
    if draft.call.tool is None:
        raise ToolFailure("The tool is gone.", code="unknown_tool")
    arguments = draft.executed_arguments or draft.arguments
    return prepare(draft.call.tool, arguments, draft.call, context_of(draft))


def settle_lost_calls(limit: int = 50) -> int:
    """The sweep's part: calls that run past their deadline lost their process."""
    lost = ToolCall.objects.filter(
        deadline_at__isnull=False, deadline_at__lte=Now(), status=CallStatus.RUNNING
    )
    settled = 0
    for call in lost[:limit]:
        recover_lost(call, overdue_only=True)
        settled += 1
    return settled
