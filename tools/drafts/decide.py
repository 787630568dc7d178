"""What else a person can do with a draft: dismiss, answer instead, fill in, resolve."""

from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from config.base import audit
from config.base.actor import Actor
from config.base.errors import GatehouseError, InvalidInput, NotFound
from tools import ledger
from tools.drafts.contexts import context_of
from tools.drafts.edits import only_editable
from tools.drafts.endings import close_dismissed, note_decided
from tools.drafts.expiry import expire_if_due
from tools.drafts.rows import lock_draft, refresh
from tools.enums import (
    UNDECIDED_REASONS,
    CallStatus,
    DecisionOutcome,
    DismissReason,
    DraftState,
)
from tools.errors import AlreadyDecided, CallDenied, DraftExpired, StaleVersion, ToolFailure
from tools.execution import prepare
from tools.gates import PreparedCall, judge
from tools.models import ActionDraft
from tools.models.draft import WAITING
from tools.schemas import JSON, CallContext

MAX_WORDS = 2000  # characters of a person's reason or answer


def dismiss_draft(actor: Actor, draft_id: UUID, *, reason: str = "") -> ActionDraft:
    """Refuse it; nothing is done. A second time changes nothing."""
    return _close(actor, draft_id, DismissReason.REFUSED, reason)


def respond_to_draft(actor: Actor, draft_id: UUID, *, message: str) -> ActionDraft:
    """Answer in words instead of confirming; the model gets them as the call's result."""
    if not message.strip():
        raise InvalidInput(_("Write an answer."), code="required")
    return _close(actor, draft_id, DismissReason.ANSWERED, message)


def _close(actor: Actor, draft_id: UUID, reason: DismissReason, words: str) -> ActionDraft:
    if len(words) > MAX_WORDS:
        raise InvalidInput(_("At most %(n)s characters.") % {"n": MAX_WORDS}, code="too_long")
    error: GatehouseError | None = None
    with transaction.atomic():
        draft = _own(actor, draft_id)
        if draft.state == DraftState.DISMISSED and draft.reason == reason:
            return draft
        if expire_if_due(draft) or draft.reason == DismissReason.EXPIRED:
            error = DraftExpired(draft=draft)
        elif not draft.is_waiting:
            error = AlreadyDecided(draft=draft)
        else:
            close_dismissed(draft, reason, by=actor, words=words)
    if error:
        raise error
    return draft


def _own(actor: Actor, draft_id: UUID) -> ActionDraft:
    draft = lock_draft(draft_id, owner=actor.user)
    if draft is None:
        raise NotFound
    return draft


def close_draft(actor: Actor, draft_id: UUID, reason: DismissReason) -> None:
    """Within the caller's transaction: it can't be confirmed any more, nor, where it failed, be
    tried again. One that was decided otherwise stays as it is. The actor decides it, unless the
    reason is one of nobody's.
    """
    by = None if reason in UNDECIDED_REASONS else actor
    draft = _own(actor, draft_id)
    if (draft.is_waiting and not expire_if_due(draft)) or draft.state == DraftState.FAILED:
        close_dismissed(draft, reason, by=by)


def close_calls_of_run(actor: Actor, run_id: UUID) -> None:
    """A cancelled run leaves nothing behind that still waits or could begin.

    What is being sent is left alone: it ends with its receipt.
    """
    with transaction.atomic():
        waiting = ActionDraft.objects.filter(call__run_id=run_id, state__in=WAITING)
        for pk in waiting.values_list("pk", flat=True):
            draft = lock_draft(pk)
            if draft and draft.is_waiting:
                close_dismissed(draft, DismissReason.RUN_CANCELLED, by=actor)
        ledger.cancel_open_calls(run_id, actor=actor)


def revise_draft(
    actor: Actor, draft_id: UUID, *, expected_version: int, arguments: JSON
) -> ActionDraft:
    """Fill in what is missing, edit a waiting draft, or make a failed one ready to try again.

    Raises `CallDenied` for a failed one that a gate refuses by now.
    """
    error: GatehouseError | None = None
    with transaction.atomic():
        draft = _own(actor, draft_id)
        if expire_if_due(draft) or draft.reason == DismissReason.EXPIRED:
            error = DraftExpired(draft=draft)
        elif not draft.is_waiting and draft.state != DraftState.FAILED:
            error = AlreadyDecided(draft=draft)
        elif draft.version != expected_version:
            error = StaleVersion(draft=draft)
        else:
            error = _revise(actor, draft, arguments)
    if error:
        raise error
    return draft


def _revise(actor: Actor, draft: ActionDraft, arguments: JSON) -> CallDenied | None:
    only_editable(draft, arguments, also=draft.plan["missing_fields"])
    merged = {**draft.arguments, **arguments}
    prepared, context = _planned(draft, merged)
    if draft.state == DraftState.FAILED and (denied := _denied(actor, draft, prepared, context)):
        return denied
    refresh(draft, prepared, context, edited=merged if arguments else None)
    audit.record(
        "draft.revised",
        audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("action_draft", draft.pk),
        tool=draft.call.tool_slug,
        metadata={"version": draft.version, "fields": sorted(arguments)},
    )
    return None


def _denied(
    actor: Actor, draft: ActionDraft, prepared: PreparedCall, context: CallContext
) -> CallDenied | None:
    """Whatever made it fail, by now it may be refused: then it is not shown as if it could be."""
    decision = judge(prepared, context)
    if decision.outcome != DecisionOutcome.DENY:
        return None
    ledger.audit_decision(draft.call, decision, actor=actor)
    return CallDenied(decision.decisive.reason, decision=decision.as_json(), draft=draft)


def _planned(draft: ActionDraft, arguments: JSON) -> tuple[PreparedCall, CallContext]:
    """Raises `InvalidInput` with the tool's own code when it can't be planned."""
    if draft.call.tool is None:
        raise InvalidInput(_("The tool is gone."), code="unknown_tool")
    context = context_of(draft)
    try:
        return prepare(draft.call.tool, arguments, draft.call, context), context
    except ToolFailure as failure:
        raise InvalidInput(failure.message, code=failure.code) from failure


def resolve_draft(
    actor: Actor, draft_id: UUID, *, expected_version: int, done: bool
) -> ActionDraft:
    """A person says how an act of unknown outcome ended: it was done, or try it again."""
    error: GatehouseError | None = None
    with transaction.atomic():
        draft = _own(actor, draft_id)
        if draft.state != DraftState.OUTCOME_UNKNOWN:
            error = AlreadyDecided(draft=draft)
        elif draft.version != expected_version:
            error = StaleVersion(draft=draft)
        else:
            _resolve(actor, draft, done=done)
    if error:
        raise error
    return draft


def _resolve(actor: Actor, draft: ActionDraft, *, done: bool) -> None:
    if done:
        draft.state = DraftState.EXECUTED
        draft.receipt = {"resolved_by_person": True}
        draft.decided_by = actor.user
        draft.save()
        note_decided(draft)
        ledger.settle(draft.call, CallStatus.SUCCESS, receipt=draft.receipt, since=ledger.RETRIABLE)
    else:
        refresh(draft, *_planned(draft, draft.arguments), edited=None)
    audit.record(
        "draft.resolved",
        audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("action_draft", draft.pk),
        tool=draft.call.tool_slug,
        reason_code="done" if done else "retry",
        metadata={"version": draft.version},
    )
