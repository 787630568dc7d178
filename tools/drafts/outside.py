"""Acting outside: the intent is committed first, then it is sent, at most once and never silently.

Reads that a person confirmed go the same way: what they wait for holds no transaction open.

A process that died in between leaves a draft CONFIRMED and a call RUNNING past its deadline. A
read is done again, and so is, under the same key, what its tool calls idempotent, if every gate
still lets it pass; of any other nobody knows whether it arrived, so it becomes OUTCOME_UNKNOWN and
waits for a person.
"""

import logging
import time
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from config.base.digests import canonical_digest
from config.base.errors import LeaseLost
from config.base.faults import fault_point
from tools import ledger
from tools.decisions import Decision
from tools.drafts.binding import conditions_of
from tools.drafts.contexts import context_of
from tools.drafts.endings import fail, give_up, succeed
from tools.drafts.rows import create_row, lock_draft
from tools.enums import CallStatus, DecisionOutcome, DraftKind, DraftState, Effect
from tools.errors import ToolFailure
from tools.execution import prepare, run_executor, tool_context
from tools.gates import PreparedCall, judge
from tools.models import ActionDraft, ToolCall
from tools.registry import find_tool_type
from tools.schemas import CallContext, ToolResult

log = logging.getLogger(__name__)


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


def carry_out(draft: ActionDraft, *, again: bool = False) -> ActionDraft:
    """Send what was committed as the intent, then write down how it ended.

    `again`: an earlier attempt may have arrived, so that no failure of this one is certain.
    """
    attempt, started = draft.attempt, time.monotonic()
    ended: ToolResult | ToolFailure
    try:
        ended = _send(draft)
    except ToolFailure as failure:
        ended = failure
    else:
        fault_point("call.sent")
    with transaction.atomic():
        locked = lock_draft(draft.pk)
        if locked is None:
            raise LeaseLost
        # Else it was given up as lost, or decided by a person, while this attempt hung.
        if locked.state == DraftState.CONFIRMED and locked.attempt == attempt:
            _settle(locked, ended, started=started, again=again)
    return locked


def _send(draft: ActionDraft) -> ToolResult:
    context, call = context_of(draft), draft.call
    try:
        prepared = _prepared(draft, context)
        if conditions_of(prepared, context) != draft.conditions:
            raise ToolFailure(_("The tool was changed in the meantime."), code="conditions_changed")
    except ToolFailure as failure:
        failure.details["request_sent"] = False
        raise
    seconds = prepared.tool_type.timeout_seconds(prepared.config)
    approved = draft.decided_by_id is not None
    return run_executor(
        prepared,
        tool_context(call, context, seconds=seconds, approved=approved, peer_key=_peer_key(draft)),
    )


def _prepared(draft: ActionDraft, context: CallContext) -> PreparedCall:
    if draft.call.tool is None:
        raise ToolFailure(_("The tool is gone."), code="unknown_tool")
    arguments = draft.executed_arguments or draft.arguments
    return prepare(draft.call.tool, arguments, draft.call, context)


def _peer_key(draft: ActionDraft) -> str:
    """The same for a repetition of the same request, another for an edited one."""
    return f"{draft.call_id}-{canonical_digest(draft.executed_arguments)[:12]}"


def _settle(
    draft: ActionDraft, ended: ToolResult | ToolFailure, *, started: float, again: bool
) -> None:
    if isinstance(ended, ToolResult):
        succeed(draft, ended, started=started)
    elif _is_uncertain(draft, ended, again=again):
        give_up(draft, started=started)
    else:
        fail(draft, ended, started=started)


def _is_uncertain(draft: ActionDraft, failure: ToolFailure, *, again: bool) -> bool:
    """A type that knows whether bytes left says so; else its codes tell. A read has no effect."""
    if draft.call.effect == Effect.NONE:
        return False
    tool_type = find_tool_type(draft.call.tool_type)
    by_code = tool_type is None or failure.code in tool_type.uncertain_codes
    return again or bool(failure.details.get("request_sent", by_code))


# --- What becomes of a call whose process died between intent and receipt ---


def recover_lost(call: ToolCall) -> ActionDraft:
    """Send again or give up, once the deadline has passed; before that, nothing.

    The deadline alone tells: whoever holds the run's lease does not know whether another process
    is still sending what a person confirmed there.
    """
    with transaction.atomic():
        draft = lock_draft(_draft_id(call))
        if draft is None:
            raise LeaseLost
        if draft.state != DraftState.CONFIRMED or not _overdue(call):
            return draft
        prepared = _repeatable(draft)
        if prepared is None:
            give_up(draft)
            return draft
        begin_sending(draft, prepared)
    return carry_out(draft, again=True)


def _draft_id(call: ToolCall) -> UUID:
    return ActionDraft.objects.values_list("pk", flat=True).get(call=call)


def _overdue(call: ToolCall) -> bool:
    return ToolCall.objects.filter(pk=call.pk, deadline_at__lte=Now()).exists()


def _repeatable(draft: ActionDraft) -> PreparedCall | None:
    """Only what has no effect, or that of one when it is done twice, and passes every gate."""
    context = context_of(draft)
    try:
        prepared = _prepared(draft, context)
    except ToolFailure:
        return None
    known = prepared.annotations
    if not (known.idempotent or known.effect == Effect.NONE):
        return None
    if conditions_of(prepared, context) != draft.conditions:
        return None
    confirmed = draft.decided_by_id is not None
    allowed = confirmed and draft.kind == DraftKind.CONSENT
    decision = judge(prepared, context, confirmed=confirmed, allowed=allowed)
    return prepared if decision.outcome == DecisionOutcome.ALLOW else None


def settle_lost_calls(limit: int = 50) -> int:
    """The sweep's part: calls that run past their deadline lost their process."""
    lost = ToolCall.objects.filter(
        deadline_at__isnull=False, deadline_at__lte=Now(), status=CallStatus.RUNNING
    )
    settled = 0
    for call in lost.order_by("deadline_at")[:limit]:
        try:
            recover_lost(call)
            settled += 1
        except Exception:
            log.exception("the call %s could not be settled; the next sweep tries again", call.pk)
    return settled
