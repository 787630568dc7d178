"""The one way to run a tool: ledger, validate, plan, gates, then execute, wait or refuse.

Chat loop, planner, skills, jobs, workflows, the execute endpoint, the admin's test panel and MCP
all come through `call_tool`; nobody else runs an executor.
"""

import time
from collections.abc import Callable

from django.db import transaction
from django.db.models.functions import Now

from config.base import audit
from config.base.errors import LeaseLost
from config.base.faults import fault_point
from tools import drafts, ledger
from tools.decisions import Decision
from tools.enums import CallStatus, DecisionOutcome, Effect
from tools.errors import CallInProgress, ToolFailure
from tools.execution import prepare, run_executor, tool_context
from tools.gates import PreparedCall, judge
from tools.models import ActionDraft, Tool, ToolCall
from tools.outcomes import CallError, CallOutcome, outcome_of_draft, recorded_error
from tools.schemas import JSON, CallContext, ToolResult


def call_tool(tool: Tool, arguments: JSON, context: CallContext) -> CallOutcome:
    """Run one call as far as the gates let it.

    Never raises for what a tool does or fails at: that is the outcome's `error`. Raises
    `IdempotencyKeyReused`, `CallInProgress`, and `LeaseLost` when the caller lost its run.
    """
    call, created = ledger.open_call(tool, arguments, context)
    fault_point("call.opened")
    if not created:
        recorded = _recorded_outcome(call, context)
        if recorded is not None:
            return recorded
    try:
        prepared = prepare(tool, arguments, call, context)
    except ToolFailure as failure:
        return _settle_failure(call, failure, arguments, context)
    return _follow(judge(prepared, context), call, prepared, arguments, context)


def refuse_call(slug: str, arguments: JSON, context: CallContext, error: CallError) -> CallOutcome:
    """A call that can't even be prepared (no such tool, no JSON) is a row of the ledger too."""
    tool = Tool.objects.filter(slug=slug).first() or Tool(pk=None, slug=slug[:50], type="")
    call, created = ledger.open_call(tool, arguments, context)
    if created:
        failure = ToolFailure(error.message, code=error.code)
        return _settle_failure(call, failure, arguments, context)
    return CallOutcome(call=call, error=error, replayed=True)


def _follow(
    decision: Decision,
    call: ToolCall,
    prepared: PreparedCall,
    arguments: JSON,
    context: CallContext,
) -> CallOutcome:
    if decision.outcome == DecisionOutcome.DENY:
        return _deny(decision, call, prepared, arguments, context)
    if decision.outcome != DecisionOutcome.ALLOW:
        return _wait_for_person(decision, call, prepared, context)
    execute = _EXECUTE[prepared.annotations.effect]
    return execute(decision, call, prepared, context)


# --- What a repeated call gets ---


def _recorded_outcome(call: ToolCall, context: CallContext) -> CallOutcome | None:
    """The outcome of the first call with this key; None when it has to be run (again)."""
    if call.status == CallStatus.RUNNING:
        return _interrupted(call, context)
    draft = ActionDraft.objects.filter(call=call).first()
    if draft is not None:
        return outcome_of_draft(call, draft)
    if call.status == CallStatus.OPEN:
        return None
    if call.status != CallStatus.SUCCESS:
        return CallOutcome(call=call, error=recorded_error(call), replayed=True)
    if call.effect == Effect.NONE:
        ledger.reopen_read(call)
        return None
    receipt = call.receipt or {}
    return CallOutcome(call=call, result=ToolResult(data=receipt, receipt=receipt), replayed=True)


def _interrupted(call: ToolCall, context: CallContext) -> CallOutcome:
    """A call that was sent outside and whose process may be dead.

    The holder of a run's lease knows that it is; without one only the deadline can tell.
    """
    still_running = ToolCall.objects.filter(pk=call.pk, deadline_at__gt=Now()).exists()
    if context.fence is None and still_running:
        raise CallInProgress
    if context.fence is not None:
        with transaction.atomic():
            context.fence()
    draft = drafts.recover_lost(call)
    call.refresh_from_db()
    return outcome_of_draft(call, draft)


# --- The three ways a decision goes ---


def _deny(
    decision: Decision,
    call: ToolCall,
    prepared: PreparedCall,
    arguments: JSON,
    context: CallContext,
) -> CallOutcome:
    decisive = decision.decisive
    error = CallError("denied", decisive.reason, {"reason_code": decisive.reason_code})
    with transaction.atomic():
        ledger.settle(
            call,
            CallStatus.DENIED,
            effect=prepared.annotations.effect,
            decision=decision,
            error_code="denied",
            error_message=decisive.reason,
        )
        ledger.keep_content(call, arguments=arguments, output=None)
        ledger.audit_decision(call, decision, actor=context.actor)
        ledger.audit_call(
            call,
            "tool.call.denied",
            audit.Outcome.DENIED,
            actor=context.actor,
            reason_code=decisive.reason_code,
        )
    return CallOutcome(call=call, error=error)


def _wait_for_person(
    decision: Decision, call: ToolCall, prepared: PreparedCall, context: CallContext
) -> CallOutcome:
    try:
        with transaction.atomic():
            _claim(call, context)
            draft = drafts.park(call, prepared, decision, context)
    except LeaseLost:
        return _twin_outcome(call, context)
    fault_point("call.parked")
    return CallOutcome(call=call, draft=draft)


def _execute_read(
    decision: Decision, call: ToolCall, prepared: PreparedCall, context: CallContext
) -> CallOutcome:
    """Without a transaction around it: a read may wait for a network."""
    started = time.monotonic()
    seconds = prepared.tool_type.timeout_seconds(prepared.config)
    try:
        result = run_executor(prepared, tool_context(call, context, seconds=seconds))
    except ToolFailure as failure:
        arguments = prepared.plan.arguments
        return _settle_failure(
            call, failure, arguments, context, decision=decision, prepared=prepared, started=started
        )
    with transaction.atomic():
        if context.fence:
            context.fence()
        _settle_success(decision, call, prepared, context, result=result, started=started)
    fault_point("call.executed")
    return CallOutcome(call=call, result=result)


def _execute_inside(
    decision: Decision, call: ToolCall, prepared: PreparedCall, context: CallContext
) -> CallOutcome:
    """Effect, receipt and audit in one transaction: exactly once, whatever is killed when."""
    started = time.monotonic()
    seconds = prepared.tool_type.timeout_seconds(prepared.config)
    try:
        with transaction.atomic():
            _claim(call, context)
            result = run_executor(prepared, tool_context(call, context, seconds=seconds))
            _settle_success(decision, call, prepared, context, result=result, started=started)
            fault_point("call.effect")
    except ToolFailure as failure:
        arguments = prepared.plan.arguments
        return _settle_failure(
            call, failure, arguments, context, decision=decision, prepared=prepared, started=started
        )
    except LeaseLost:
        return _twin_outcome(call, context)
    fault_point("call.executed")
    return CallOutcome(call=call, result=result)


def _claim(call: ToolCall, context: CallContext) -> None:
    """Within the deciding transaction: of equal calls at once only one goes on from here."""
    if context.fence:
        context.fence()
    ledger.lock_call(call)
    if ActionDraft.objects.filter(call=call).exists():
        raise LeaseLost


def _twin_outcome(call: ToolCall, context: CallContext) -> CallOutcome:
    """Two requests with one key ran at once and the other was first: its outcome is ours."""
    call.refresh_from_db()
    recorded = None if context.fence else _recorded_outcome(call, context)
    if recorded is None:
        raise LeaseLost
    return recorded


def _execute_outside(
    decision: Decision, call: ToolCall, prepared: PreparedCall, context: CallContext
) -> CallOutcome:
    """The intent is committed first, as a draft that needs no person; then it is sent."""
    try:
        with transaction.atomic():
            _claim(call, context)
            ledger.audit_decision(call, decision, actor=context.actor)
            draft = drafts.record_intent(call, prepared, decision, context)
    except LeaseLost:
        return _twin_outcome(call, context)
    fault_point("call.intent")
    draft = drafts.carry_out(draft)
    call.refresh_from_db()
    return outcome_of_draft(call, draft)


type Execute = Callable[[Decision, ToolCall, PreparedCall, CallContext], CallOutcome]
_EXECUTE: dict[Effect, Execute] = {
    Effect.NONE: _execute_read,
    Effect.INSIDE: _execute_inside,
    Effect.OUTSIDE: _execute_outside,
}


# --- Writing down how it ended ---


def _settle_success(
    decision: Decision,
    call: ToolCall,
    prepared: PreparedCall,
    context: CallContext,
    *,
    result: ToolResult,
    started: float,
) -> None:
    ledger.settle(
        call,
        CallStatus.SUCCESS,
        effect=prepared.annotations.effect,
        decision=decision,
        receipt=result.receipt,
        started=started,
    )
    ledger.keep_content(call, arguments=prepared.plan.arguments, output=result.data)
    ledger.audit_decision(call, decision, actor=context.actor)
    ledger.audit_call(call, "tool.call.succeeded", audit.Outcome.SUCCEEDED, actor=context.actor)


def _settle_failure(
    call: ToolCall,
    failure: ToolFailure,
    arguments: JSON,
    context: CallContext,
    *,
    decision: Decision | None = None,
    prepared: PreparedCall | None = None,
    started: float | None = None,
) -> CallOutcome:
    status = CallStatus.TIMEOUT if failure.code == "timeout" else CallStatus.ERROR
    with transaction.atomic():
        ledger.settle(
            call,
            status,
            effect=prepared.annotations.effect if prepared else None,
            decision=decision,
            error_code=failure.code,
            error_message=failure.message,
            started=started,
        )
        ledger.keep_content(call, arguments=arguments, output=None)
        if decision:
            ledger.audit_decision(call, decision, actor=context.actor)
        ledger.audit_call(
            call,
            "tool.call.failed",
            audit.Outcome.FAILED,
            actor=context.actor,
            reason_code=failure.code,
        )
    return CallOutcome(call=call, error=CallError.of(failure))
