"""Making drafts, giving them a new version, letting them expire."""

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models.expressions import Combinable
from django.db.models.functions import Now

from config.base import audit
from config.base.actor import Actor
from config.base.models import User
from config.base.storable import storable
from tools import ledger
from tools.decisions import Decision
from tools.drafts.binding import conditions_of, effect_hash
from tools.drafts.contexts import actor_of
from tools.enums import CallStatus, DecisionOutcome, DismissReason, DraftKind, DraftState
from tools.errors import ToolFailure
from tools.gates import PreparedCall
from tools.models import ActionDraft, ActionDraftVersion, ToolCall
from tools.models.draft import WAITING
from tools.schemas import JSON, CallContext


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


def create_row(
    call: ToolCall,
    prepared: PreparedCall,
    context: CallContext,
    *,
    kind: DraftKind,
    state: DraftState,
) -> ActionDraft:
    plan, arguments = prepared.plan.as_json(), prepared.plan.arguments
    conditions = conditions_of(prepared)
    draft = ActionDraft.objects.create(
        call=call,
        kind=kind,
        owner=context.actor.user,
        state=state,
        proposed_arguments=arguments,
        plan=plan,
        conditions=conditions,
        hash=effect_hash(arguments, plan, conditions),
        provenance=sorted(context.provenance),
        user_urls=list(context.user_urls),
        unattended=context.unattended,
        expires_at=_expiry(unattended=context.unattended),
    )
    draft.refresh_from_db()  # expires_at is the database's
    return draft


def _expiry(*, unattended: bool) -> Combinable:
    seconds = (
        settings.UNATTENDED_DRAFT_LIFETIME_SECONDS
        if unattended
        else settings.DRAFT_LIFETIME_SECONDS
    )
    return Now() + timedelta(seconds=seconds)


def refresh(draft: ActionDraft, prepared: PreparedCall, *, edited: JSON | None) -> None:
    """The next version: what it would do now. The version that was shown is kept."""
    ActionDraftVersion.objects.create(
        draft=draft,
        version=draft.version,
        arguments=draft.arguments,
        plan=draft.plan,
        hash=draft.hash,
    )
    draft.version += 1
    draft.plan = prepared.plan.as_json()
    draft.conditions = conditions_of(prepared)
    if edited is not None:
        draft.edited_arguments = edited
    draft.hash = effect_hash(prepared.plan.arguments, draft.plan, draft.conditions)
    draft.state = DraftState.NEEDS_INPUT if prepared.plan.missing_fields else DraftState.DRAFT
    draft.error_code = draft.error_message = draft.confirm_key = ""
    draft.save()
    ActionDraft.objects.filter(pk=draft.pk).update(expires_at=_expiry(unattended=draft.unattended))
    draft.refresh_from_db(fields=["expires_at"])


def close_dismissed(
    draft: ActionDraft,
    reason: DismissReason,
    *,
    by: Actor | None = None,
    words: str = "",
    error_message: str = "",
) -> None:
    """End a waiting draft without an effect; its call ends with it and says why."""
    draft.state = DraftState.DISMISSED
    draft.reason = reason
    draft.reason_text = storable(words)
    draft.decided_by = by.user if by else None
    draft.save()
    note_decided(draft)
    status = {
        DismissReason.EXPIRED: CallStatus.EXPIRED,
        DismissReason.RUN_CANCELLED: CallStatus.CANCELLED,
        DismissReason.DENIED: CallStatus.DENIED,
    }.get(reason, CallStatus.DISMISSED)
    if draft.call.is_open:
        ledger.settle(draft.call, status, error_code=reason, error_message=error_message)
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


def expire_if_due(draft: ActionDraft) -> bool:
    """Judged by the database's clock, whenever a draft is read to be decided."""
    due = ActionDraft.objects.filter(pk=draft.pk, state__in=WAITING, expires_at__lte=Now())
    if not due.exists():
        return False
    close_dismissed(draft, DismissReason.EXPIRED)
    return True


def expire_due_drafts(limit: int = 100) -> int:
    """The sweep's part: each in its own transaction, so that one that fails stops no other."""
    due = ActionDraft.objects.filter(state__in=WAITING, expires_at__lte=Now())
    expired = 0
    for pk in due.values_list("pk", flat=True)[:limit]:
        with transaction.atomic():
            draft = lock_draft(pk)
            expired += bool(draft and expire_if_due(draft))
    return expired


def lock_draft(pk: UUID, *, owner: User | None = None) -> ActionDraft | None:
    """The row with its call and owner, locked; with an owner given, only if it is theirs."""
    rows = ActionDraft.objects.select_for_update(of=("self",)).select_related("call__tool", "owner")
    if owner is not None:
        rows = rows.for_user(owner)
    return rows.filter(pk=pk).first()


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
        error_message=failure.message,
        started=started,
    )
    ledger.audit_call(
        draft.call,
        "tool.call.failed",
        audit.Outcome.FAILED,
        actor=actor_of(draft),
        reason_code=failure.code,
    )
