"""The ledger's own changes: opening a call, settling it, keeping its content."""

import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from config.base import audit
from config.base.actor import Actor, Origin
from config.base.digests import canonical_digest
from config.base.errors import IdempotencyKeyReused, LeaseLost
from config.base.inserts import Insertion, insertion, values_of
from config.base.storable import storable
from config.base.transactions import atomic_for_several
from config.base.updates import NOW, change_row
from tools.budgets.quotas import settle_place
from tools.budgets.usage import insert_counted
from tools.decisions import Decision
from tools.enums import OPEN_STATUSES, RETRIABLE_STATUSES, CallStatus, Effect, LogPayload
from tools.log.masking import cut, mask, size_bytes
from tools.models import Tool, ToolCall, ToolCallContent
from tools.registry import find_tool_type
from tools.schemas import JSON, CallContext

RETRIABLE = (*OPEN_STATUSES, *RETRIABLE_STATUSES)
UNKNOWN_TOOL = "(unknown)"  # what a model asked for that is no tool: no slug can read so
_CONTENT = ("input", "output", "error_message", "truncated", "input_bytes", "output_bytes")


def open_call(
    tool: Tool, arguments: JSON, context: CallContext, *, asked: str = ""
) -> tuple[ToolCall, bool]:
    """The row of this idempotency key, and whether it is new. `asked`: the name that stood for it.

    Raises `IdempotencyKeyReused` when the key stands for another input, `LeaseLost` when the
    caller no longer holds its run.
    """
    actor = context.actor
    row = ToolCall(
        idempotency_key=context.idempotency_key,
        tool_id=tool.pk,
        tool_slug=tool.slug,
        tool_type=tool.type,
        user=actor.user,
        role=actor.role,
        origin=actor.origin,
        agent_id=actor.agent_id,
        conversation_id=actor.conversation_id,
        run_id=actor.run_id,
        skill=context.skill,
        skill_version=context.skill_version,
        input_digest=canonical_digest([asked or tool.slug, arguments]),
        status=CallStatus.OPEN,
    )
    call, created = _insert_or_get(row, context)
    if call.input_digest != row.input_digest or call.user_id != actor.user.pk:
        raise IdempotencyKeyReused
    return call, created


def _insert_or_get(call: ToolCall, context: CallContext) -> tuple[ToolCall, bool]:
    """Nearly every key is new, so nobody looks before."""
    try:
        with atomic_for_several(bool(context.fence)):
            if context.fence:
                context.fence()
            insert_counted(call)
    except IntegrityError:
        first = ToolCall.objects.filter(idempotency_key=call.idempotency_key).first()
        if first is None:
            raise
        return first, False
    return call, True


def lock_call(call: ToolCall) -> None:
    """Lock the row until the transaction ends; raises `LeaseLost` unless it is still to be decided.

    A twin that parked or sent it has changed its status by then, or never will.
    """
    rows = ToolCall.objects.select_for_update().filter(pk=call.pk, attempt=call.attempt)
    if rows.values_list("status", flat=True).first() != CallStatus.OPEN:
        raise LeaseLost


def reopen_read(call: ToolCall) -> None:
    """A repeated read runs again on the same row."""
    ToolCall.objects.filter(pk=call.pk).update(
        status=CallStatus.OPEN, attempt=F("attempt") + 1, finished_at=None
    )
    call.refresh_from_db()


def mark_running(call: ToolCall, *, seconds: float) -> None:
    """Commit the intent to act outside: from here on nobody starts this call a second time."""
    begun = ToolCall.objects.filter(pk=call.pk, attempt=call.attempt).update(
        status=CallStatus.RUNNING,
        attempt=F("attempt") + 1,
        started_at=Now(),
        finished_at=None,
        deadline_at=Now() + timedelta(seconds=seconds + settings.CALL_SETTLE_SECONDS),
    )
    if not begun:
        raise LeaseLost
    call.refresh_from_db()


def settle(
    call: ToolCall,
    status: CallStatus,
    *,
    effect: Effect | None = None,
    decision: Decision | None = None,
    error_code: str = "",
    receipt: JSON | None = None,
    started: float | None = None,
    since: Sequence[CallStatus] = OPEN_STATUSES,
    adding: Sequence[Insertion] = (),
) -> None:
    """Write how the call ended, and with it what is `adding`.

    Raises `LeaseLost` unless it is in one of the statuses `since` which this may change: another
    has settled it first. `RETRIABLE`: a person tries again what had failed, or says how the
    unknown ended; only then may a closed call change.
    """
    changes: dict[str, Any] = {
        "status": status,
        "error_code": error_code,
        "receipt": storable(receipt),
        "deadline_at": None,
        "finished_at": None if status in OPEN_STATUSES else NOW,
    }
    if effect is not None:
        changes["effect"] = effect
    if decision is not None:
        changes["decision"] = decision.as_json()
    if started is not None:
        seconds = time.monotonic() - started
        changes["duration_ms"] = int(seconds * 1000)
        changes["started_at"] = timezone.now() - timedelta(seconds=seconds)
    as_claimed = {"id": call.pk, "attempt": call.attempt, "status": tuple(since)}
    if change_row(ToolCall, changes, as_claimed, adding=adding) is None:
        raise LeaseLost
    _take_over(call, changes)
    settle_place(call, status)


def note_decision(call: ToolCall, decision: Decision) -> None:
    """What the gates say by now of a call that waits on."""
    ToolCall.objects.filter(pk=call.pk).update(decision=decision.as_json())
    call.decision = decision.as_json()


def _take_over(call: ToolCall, changes: dict[str, Any]) -> None:
    """What was written; what the database computed (a time) is read when somebody looks at it."""
    for name, value in changes.items():
        if value is NOW:
            call.__dict__.pop(name, None)
        else:
            setattr(call, name, value)


def cancel_open_calls(run_id: UUID, *, actor: Actor) -> int:
    """Of a run that is cancelled: calls that had not begun to act, and no draft decides about."""
    calls = ToolCall.objects.select_for_update(of=("self",)).filter(
        run_id=run_id, status=CallStatus.OPEN, draft__isnull=True
    )
    cancelled = list(calls)
    for call in cancelled:
        settle(call, CallStatus.CANCELLED, error_code="run_cancelled")
        audit_call(
            call,
            "tool.call.failed",
            audit.Outcome.CANCELLED,
            actor=actor,
            reason_code="run_cancelled",
        )
    return len(cancelled)


def keep_content(call: ToolCall, *, arguments: JSON, output: JSON | None) -> None:
    content_of(call, arguments=arguments, output=output).write()


def content_of(
    call: ToolCall, *, arguments: JSON, output: JSON | None, error_message: str = ""
) -> Insertion:
    """Input, output and the words of a failure, as much of them as the type lets the log keep."""
    policy = _log_payload(call)
    arguments, output = storable(arguments), storable(output)
    kept_input, input_cut = cut(_logged(arguments, policy))
    kept_output, output_cut = cut(_logged(output, policy))
    content = ToolCallContent(
        call=call,
        input=kept_input,
        output=kept_output,
        error_message=_logged(storable(error_message[:2000]), policy) or "",
        truncated=input_cut or output_cut,
        input_bytes=size_bytes(arguments),
        output_bytes=size_bytes(output) if output is not None else 0,
    )
    return insertion(ToolCallContent, values_of(content), replacing=_CONTENT)


def keep_error(call: ToolCall, message: str) -> None:
    """What a failure said, beside the content that is kept already."""
    told = _logged(storable(message[:2000]), _log_payload(call)) or ""
    ToolCallContent.objects.filter(call=call).update(error_message=told)


def _log_payload(call: ToolCall) -> LogPayload:
    tool_type = find_tool_type(call.tool_type)
    if tool_type is None or call.origin in (Origin.SKILL, Origin.WORKFLOW, Origin.JOB):
        return LogPayload.NONE
    return tool_type.log_payload


def _logged(value: JSON | None, policy: LogPayload) -> Any:
    """Secrets are masked even in a full log."""
    return None if policy is LogPayload.NONE or value is None else mask(value)


def audit_call(
    call: ToolCall, action: str, outcome: audit.Outcome, *, actor: Actor, reason_code: str = ""
) -> None:
    audit.record_all([call_entry(call, action, outcome, actor=actor, reason_code=reason_code)])


def audit_decision(call: ToolCall, decision: Decision, *, actor: Actor) -> None:
    audit.record_all([decision_entry(call, decision, actor=actor)])


def call_entry(
    call: ToolCall, action: str, outcome: audit.Outcome, *, actor: Actor, reason_code: str = ""
) -> audit.AuditEntry:
    metadata = {"input_sha256": call.input_digest, "effect": call.effect}
    return _entry(call, action, outcome, actor, reason_code=reason_code, metadata=metadata)


def decision_entry(call: ToolCall, decision: Decision, *, actor: Actor) -> audit.AuditEntry:
    """The decision is an event of its own, apart from the execution."""
    decisive = decision.decisive
    # Waiting for a person is no denial; `decision` below says which it was.
    denied = decision.outcome == "deny"
    leaves = [str(leave) for reason in decision.reasons for leave in reason.leaves]
    missing = [code for reason in decision.reasons for code in reason.missing]
    return _entry(
        call,
        "policy.decided",
        audit.Outcome.DENIED if denied else audit.Outcome.ALLOWED,
        actor,
        reason_code=decisive.reason_code,
        metadata={
            "decision": decision.outcome.value,
            "gate": decisive.gate,
            "reasons": [f"{r.gate}:{r.outcome}:{r.reason_code}" for r in decision.reasons],
            **({"leaves": leaves} if leaves else {}),
            **({"missing": missing} if missing else {}),
        },
    )


def _entry(
    call: ToolCall, action: str, outcome: audit.Outcome, actor: Actor, **facts: Any
) -> audit.AuditEntry:
    return audit.entry(
        action,
        outcome,
        actor=actor,
        target=("tool_call", call.pk),
        tool=call.tool_slug,
        skill=call.skill,
        skill_version=call.skill_version,
        **facts,
    )
