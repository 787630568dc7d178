"""Rows of drafts: made, locked, given their next version."""

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db.models.expressions import Combinable
from django.db.models.functions import Now

from config.base.models import User
from tools.drafts.binding import conditions_of, effect_hash, shown_plan
from tools.enums import DraftKind, DraftState
from tools.gates import PreparedCall
from tools.models import ActionDraft, ActionDraftVersion, ToolCall
from tools.schemas import JSON, CallContext


def lock_draft(pk: UUID, *, owner: User | None = None) -> ActionDraft | None:
    """The row with its call and owner, locked; with an owner given, only if it is theirs."""
    rows = ActionDraft.objects.select_for_update(of=("self",)).select_related("call__tool", "owner")
    if owner is not None:
        rows = rows.for_user(owner)
    return rows.filter(pk=pk).first()


def create_row(
    call: ToolCall,
    prepared: PreparedCall,
    context: CallContext,
    *,
    kind: DraftKind,
    state: DraftState,
) -> ActionDraft:
    plan, arguments = shown_plan(prepared), prepared.plan.arguments
    conditions = conditions_of(prepared, context)
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


def refresh(
    draft: ActionDraft, prepared: PreparedCall, context: CallContext, *, edited: JSON | None
) -> None:
    """The next version: what it would do now. The version that was shown is kept."""
    ActionDraftVersion.objects.create(
        draft=draft,
        version=draft.version,
        arguments=draft.arguments,
        plan=draft.plan,
        hash=draft.hash,
    )
    draft.version += 1
    draft.plan = shown_plan(prepared)
    draft.conditions = conditions_of(prepared, context)
    if edited is not None:
        draft.edited_arguments = edited
    draft.hash = effect_hash(prepared.plan.arguments, draft.plan, draft.conditions)
    draft.state = DraftState.NEEDS_INPUT if prepared.plan.missing_fields else DraftState.DRAFT
    draft.error_code = draft.error_message = draft.confirm_key = draft.confirm_digest = ""
    draft.save()
    ActionDraft.objects.filter(pk=draft.pk).update(expires_at=_expiry(unattended=draft.unattended))
    draft.refresh_from_db(fields=["expires_at"])
