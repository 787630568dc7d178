"""The one way to run a tool: ledger, validate, plan, gates, then execute, wait or refuse.

Chat loop, planner, skills, jobs, workflows, the execute endpoint, the admin's test panel and MCP
all come through `call_tool`; nobody else runs an executor.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from django.db import transaction
from django.db.models.functions import Now

from config.base import audit
from config.base.errors import Bug, LeaseLost
from config.base.faults import fault_point
from config.base.inserts import Insertion
from config.base.transactions import atomic_for_several
from tools import drafts, ledger
from tools.decisions import Decision
from tools.enums import CallStatus, DecisionOutcome, Effect
from tools.errors import CallInProgress, ToolFailure, ToolTimeout
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
        return _end(call, arguments, context, _Ending(failure=failure))
    return _follow(judge(prepared, context), call, prepared, arguments, context)


def refuse_call(slug: str, arguments: JSON, context: CallContext, error: CallError) -> CallOutcome:
    """A call that can't even be prepared (no such tool, no JSON) is a row of the ledger too."""
    tool = Tool.objects.filter(slug=slug).first() or Tool(pk=None, slug=ledger.UNKNOWN_TOOL)
    call, created = ledger.open_call(tool, arguments, context, asked=slug[:50])
    fault_point("call.opened")
    recorded = None if created else _recorded_outcome(call, context)
    if recorded is not None and recorded.error and recorded.error.code == error.code:
        return replace(recorded, error=error)  # refused so before; the log need not keep the words
    if recorded is not None:
        return recorded  # it was done, or decided, while the tool was still there
    failure = ToolFailure(error.message, code=error.code)
    return _end(call, arguments, context, _Ending(failure=failure))


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
    """A call that was sent outside and whose process may be dead: only the deadline can tell.

    Until then a run waits for it as for a person, and another caller is told to.
    """
    still_running = ToolCall.objects.filter(pk=call.pk, deadline_at__gt=Now()).exists()
    if context.fence is None and still_running:
        raise CallInProgress
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
    failure = ToolFailure(
        decisive.reason, code=decisive.denied_code, reason_code=decisive.reason_code
    )
    return _end(call, arguments, context, _Ending(decision, prepared, failure=failure))


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
    ending = _run(_Ending(decision, prepared), call, context)
    outcome = _end(call, prepared.plan.arguments, context, ending)
    fault_point("call.executed")
    return outcome


def _execute_inside(
    decision: Decision, call: ToolCall, prepared: PreparedCall, context: CallContext
) -> CallOutcome:
    """Effect, receipt and audit in one transaction: exactly once, whatever is killed when."""
    arguments, ending = prepared.plan.arguments, _Ending(decision, prepared)
    try:
        with transaction.atomic():
            _claim(call, context)
            ending = _run(ending, call, context)
            if ending.failure:
                raise ending.failure
            _write_down(call, arguments, context, ending)
            fault_point("call.effect")
    except ToolFailure:
        return _end(call, arguments, context, ending)
    except LeaseLost:
        return _twin_outcome(call, context)
    fault_point("call.executed")
    return CallOutcome(call=call, result=ending.result)


def _claim(call: ToolCall, context: CallContext) -> None:
    """Within the deciding transaction: of equal calls at once only one goes on from here."""
    if context.fence:
        context.fence()
    ledger.lock_call(call)


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
    return replace(outcome_of_draft(call, draft), replayed=False)


type Execute = Callable[[Decision, ToolCall, PreparedCall, CallContext], CallOutcome]
_EXECUTE: dict[Effect, Execute] = {
    Effect.NONE: _execute_read,
    Effect.INSIDE: _execute_inside,
    Effect.OUTSIDE: _execute_outside,
}


# --- Writing down how it ended ---


@dataclass(frozen=True, slots=True)
class _Ending:
    """How a call ended: a result, a failure (a denial is one), and what led there."""

    decision: Decision | None = None
    prepared: PreparedCall | None = None
    result: ToolResult | None = None
    failure: ToolFailure | None = None
    started: float | None = None

    @property
    def status(self) -> CallStatus:
        if self.failure is None:
            return CallStatus.SUCCESS
        if self.decision and self.decision.outcome == DecisionOutcome.DENY:
            return CallStatus.DENIED
        return CallStatus.TIMEOUT if self.failure.code == "timeout" else CallStatus.ERROR


_AUDIT = {
    CallStatus.SUCCESS: ("tool.call.succeeded", audit.Outcome.SUCCEEDED),
    CallStatus.DENIED: ("tool.call.denied", audit.Outcome.DENIED),
}


def _run(ending: _Ending, call: ToolCall, context: CallContext) -> _Ending:
    """Execute; what became of it."""
    prepared = ending.prepared
    if prepared is None:
        raise Bug("nothing was prepared")
    started = time.monotonic()
    seconds = prepared.tool_type.timeout_seconds(prepared.config)
    if context.timeout_ms is not None:
        seconds = min(seconds, context.timeout_ms / 1000)
    try:
        result = run_executor(prepared, tool_context(call, context, seconds=seconds))
    except ToolFailure as failure:
        return replace(ending, failure=failure, started=started)
    if context.timeout_ms is not None and _is_late_read(prepared, started, seconds):
        return replace(ending, failure=ToolTimeout(), started=started)
    return replace(ending, result=result, started=started)


def _is_late_read(prepared: PreparedCall, started: float, seconds: float) -> bool:
    """Nobody waits for its result any more; what was written stays written."""
    return prepared.annotations.read_only and time.monotonic() - started > seconds


def _end(call: ToolCall, arguments: JSON, context: CallContext, ending: _Ending) -> CallOutcome:
    """Fenced, and only if nobody else settled the call: of equal calls at once the first counts."""
    try:
        with atomic_for_several(bool(context.fence or call.quota_day)):
            if context.fence:
                context.fence()
            _write_down(call, arguments, context, ending)
    except LeaseLost:
        if context.fence is None and ending.result is not None:
            return CallOutcome(call=call, result=ending.result)  # a read: its twin's is as good
        return _twin_outcome(call, context)
    error = CallError.of(ending.failure) if ending.failure else None
    return CallOutcome(call=call, result=ending.result, error=error)


def _write_down(call: ToolCall, arguments: JSON, context: CallContext, ending: _Ending) -> None:
    """Ledger, content and audit, within the transaction that claimed the call."""
    failure, result = ending.failure, ending.result
    output = result.data if result else None
    effect = ending.prepared.annotations.effect if ending.prepared else None
    call.effect = effect or call.effect  # the event says it, too
    said = failure.message if failure else ""
    content = ledger.content_of(call, arguments=arguments, output=output, error_message=said)
    ledger.settle(
        call,
        ending.status,
        effect=effect,
        decision=ending.decision,
        error_code=failure.code if failure else "",
        receipt=result.receipt if result else None,
        started=ending.started,
        since=(CallStatus.OPEN,),
        adding=[content, *_events(call, context, ending)],
    )


def _events(call: ToolCall, context: CallContext, ending: _Ending) -> list[Insertion]:
    """The decision, if there was one, and how the call ended."""
    failure, decided = ending.failure, ending.decision
    action, outcome = _AUDIT.get(ending.status, ("tool.call.failed", audit.Outcome.FAILED))
    reason_code = str(failure.details.get("reason_code", failure.code)) if failure else ""
    ended = ledger.call_entry(call, action, outcome, actor=context.actor, reason_code=reason_code)
    before = [ledger.decision_entry(call, decided, actor=context.actor)] if decided else []
    return [audit.insertion(entry) for entry in (*before, ended)]
