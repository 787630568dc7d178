"""Parking a call: a draft that waits for its owner."""

from tools import ledger
from tools.decisions import Decision
from tools.drafts.rows import create_row
from tools.enums import CallStatus, DecisionOutcome, DraftKind, DraftState
from tools.gates import PreparedCall
from tools.models import ActionDraft, ToolCall
from tools.schemas import CallContext


def park(
    call: ToolCall, prepared: PreparedCall, decision: Decision, context: CallContext
) -> ActionDraft:
    """A draft that waits for its owner; the caller's transaction holds call, draft and audit."""
    consent = decision.outcome == DecisionOutcome.NEEDS_CONSENT
    ledger.settle(
        call,
        CallStatus.NEEDS_CONSENT if consent else CallStatus.NEEDS_CONFIRMATION,
        effect=prepared.annotations.effect,
        decision=decision,
    )
    ledger.keep_content(call, arguments=prepared.plan.arguments, output=None)
    ledger.audit_decision(call, decision, actor=context.actor)
    return create_row(
        call,
        prepared,
        context,
        kind=DraftKind.CONSENT if consent else DraftKind.ACTION,
        state=DraftState.NEEDS_INPUT if prepared.plan.missing_fields else DraftState.DRAFT,
    )
