"""Confirming: the person's act that executes exactly what they were shown, once."""

import time
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from config.base import audit
from config.base.actor import Actor
from config.base.digests import canonical_digest
from config.base.errors import GatehouseError, IdempotencyKeyReused, InvalidInput, NotFound
from config.base.faults import fault_point
from tools import ledger
from tools.approvals.services import give_approval, refuse_remembering
from tools.approvals.terms import Remember
from tools.decisions import Decision
from tools.drafts.binding import what_moved
from tools.drafts.contexts import context_of
from tools.drafts.edits import only_editable
from tools.drafts.endings import close_dismissed, fail, note_decided, succeed
from tools.drafts.expiry import expire_if_due
from tools.drafts.outside import begin_sending, carry_out
from tools.drafts.rows import lock_draft, refresh
from tools.enums import DecisionOutcome, DismissReason, DraftKind, DraftState, Effect
from tools.errors import (
    AlreadyDecided,
    CallDenied,
    ConditionsChanged,
    DraftExpired,
    StaleVersion,
    TargetChanged,
    ToolFailure,
)
from tools.execution import prepare, run_executor, tool_context
from tools.gates import PreparedCall, answered, ask_gates, keep_consent
from tools.models import ActionDraft
from tools.schemas import JSON, CallContext

_TARGET_GONE = ("not_found", "stale_revision")  # the world moved, not the rules
_TOOL_GONE = ("unknown_tool", "unknown_type", "invalid_config")  # whatever the person edits


@dataclass(frozen=True, slots=True)
class _Step:
    """What the deciding transaction came to; an error is raised after its commit, not before."""

    draft: ActionDraft
    error: GatehouseError | None = None
    send: bool = False


@dataclass(frozen=True, slots=True)
class _Confirmation:
    """What came from the person."""

    key: str
    version: int
    edits: JSON
    remember: Remember | None

    @property
    def digest(self) -> str:
        remembered = [asdict(self.remember)] if self.remember else []
        return canonical_digest([self.version, self.edits, *remembered])


def confirm_draft(
    actor: Actor,
    draft_id: UUID,
    *,
    expected_version: int,
    idempotency_key: str,
    arguments: JSON | None = None,
    remember: Remember | None = None,
) -> ActionDraft:
    """Execute the draft as the version that the person saw, or refuse and change nothing.

    `arguments`: the person's values for editable fields. `remember`: with it they give a standing
    approval for the like; refused where that would never count. A repeat with the same key returns
    the first outcome; with another body it raises `IdempotencyKeyReused`. Raises `NotFound`,
    `StaleVersion`, `TargetChanged`, `ConditionsChanged` (the fresh draft is in
    `details["draft"]`), `AlreadyDecided`, `DraftExpired`, `CallDenied`, `InvalidInput`. A tool
    that fails is no error here: the draft is FAILED.
    """
    if not idempotency_key:
        raise InvalidInput(_("An idempotency key is needed."), code="required")
    with transaction.atomic():
        confirmation = _Confirmation(idempotency_key, expected_version, arguments or {}, remember)
        step = _decide(actor, draft_id, confirmation)
        fault_point("draft.deciding")
    if step.error:
        raise step.error
    fault_point("draft.confirmed")
    if step.send:
        return carry_out(step.draft)
    return step.draft


def _decide(actor: Actor, draft_id: UUID, confirmation: _Confirmation) -> _Step:
    draft = lock_draft(draft_id, owner=actor.user)
    if draft is None:
        raise NotFound
    key, digest = confirmation.key, confirmation.digest
    if draft.confirm_key == key and draft.state != DraftState.DRAFT:
        if draft.confirm_digest != digest:
            raise IdempotencyKeyReused
        return _Step(draft)
    refusal = _refusal(draft, confirmation)
    if refusal:
        return _Step(draft, refusal)
    draft.confirm_key, draft.confirm_digest = key, digest
    return _judge_again(actor, draft, confirmation)


def _judge_again(actor: Actor, draft: ActionDraft, confirmation: _Confirmation) -> _Step:
    """Plan anew and ask every gate: only what is still what was shown is executed."""
    context, edits = context_of(draft), confirmation.edits
    arguments = {**draft.arguments, **only_editable(draft, edits)}
    edited = arguments if edits and arguments != draft.arguments else None
    try:
        prepared = _prepare(draft, arguments, context)
    except ToolFailure as failure:
        return _unplannable(draft, failure, edited=edited is not None)
    asked = ask_gates(prepared, context)
    decision = answered(asked, allowed=draft.kind == DraftKind.CONSENT)
    ledger.audit_decision(draft.call, decision, actor=actor)
    if decision.outcome == DecisionOutcome.DENY:
        return _denied(actor, draft, decision)
    moved = what_moved(draft, prepared, context, edited=edited is not None)
    if decision.outcome == DecisionOutcome.NEEDS_CONSENT:
        draft.kind, moved = DraftKind.CONSENT, "conditions_changed"  # not what was shown
    if moved:
        refresh(draft, prepared, context, edited=edited)
        ledger.note_decision(draft.call, asked)
        error = TargetChanged if moved == "target_changed" else ConditionsChanged
        return _Step(draft, error(draft=draft))
    if confirmation.remember:
        give_approval(actor, draft, prepared, context, confirmation.remember)
    return _confirm(draft, prepared, context, actor, edited=edited)


def _denied(actor: Actor, draft: ActionDraft, decision: Decision) -> _Step:
    """What the gates said now, not what they said when it was parked, is what the log explains."""
    reason = decision.decisive.reason
    close_dismissed(draft, DismissReason.DENIED, by=actor, error_message=reason, decision=decision)
    details: dict[str, Any] = {"decision": decision.as_json(), "draft": draft}
    return _Step(draft, CallDenied(reason, **details))


def _refusal(draft: ActionDraft, confirmation: _Confirmation) -> GatehouseError | None:
    """Why this draft can't be confirmed as it stands; nothing of the tool is asked yet."""
    if draft.state == DraftState.DISMISSED and draft.reason == DismissReason.EXPIRED:
        return DraftExpired(draft=draft)
    if not draft.is_waiting:
        return AlreadyDecided(draft=draft)
    if expire_if_due(draft):
        return DraftExpired(draft=draft)
    if draft.version != confirmation.version:
        return StaleVersion(draft=draft)
    if draft.state == DraftState.NEEDS_INPUT:
        missing = ", ".join(draft.plan["missing_fields"])
        return InvalidInput(_("Fill in: %(names)s.") % {"names": missing}, code="needs_input")
    return refuse_remembering(draft, confirmation.remember) if confirmation.remember else None


def _prepare(draft: ActionDraft, arguments: JSON, context: CallContext) -> PreparedCall:
    if draft.call.tool is None:
        raise ToolFailure(_("The tool is gone."), code="unknown_tool")
    return prepare(draft.call.tool, arguments, draft.call, context)


def _unplannable(draft: ActionDraft, failure: ToolFailure, *, edited: bool) -> _Step:
    """An edit that does not fit changes nothing; a target or tool that is gone ends the draft."""
    if edited and failure.code not in _TOOL_GONE:
        return _Step(draft, InvalidInput(failure.message, code=failure.code))
    fail(draft, failure)
    error = TargetChanged if failure.code in _TARGET_GONE else ConditionsChanged
    return _Step(draft, error(failure.message, draft=draft))


def _confirm(
    draft: ActionDraft,
    prepared: PreparedCall,
    context: CallContext,
    actor: Actor,
    *,
    edited: JSON | None,
) -> _Step:
    draft.decided_by = actor.user
    draft.reason = draft.reason_text = ""
    if edited is not None:
        draft.edited_arguments = edited
    draft.executed_arguments = prepared.plan.arguments
    draft.save()
    note_decided(draft)
    if draft.kind == DraftKind.CONSENT:
        keep_consent(prepared, context)
    audit.record(
        "draft.confirmed",
        audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("action_draft", draft.pk),
        tool=draft.call.tool_slug,
        metadata={"version": draft.version, "hash": draft.hash, "edited": edited is not None},
    )
    if prepared.annotations.effect != Effect.INSIDE:  # a read waits for networks or processes
        begin_sending(draft, prepared)
        return _Step(draft, send=True)
    _execute_inside(draft, prepared, context)
    return _Step(draft)


def _execute_inside(draft: ActionDraft, prepared: PreparedCall, context: CallContext) -> None:
    """Effect, receipt, draft and audit commit together, or the draft says why not."""
    seconds, started = prepared.tool_type.timeout_seconds(prepared.config), time.monotonic()
    try:
        with transaction.atomic():
            result = run_executor(
                prepared, tool_context(draft.call, context, seconds=seconds, approved=True)
            )
    except ToolFailure as failure:
        fail(draft, failure, started=started)
    else:
        succeed(draft, result, started=started)
