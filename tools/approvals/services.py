"""Giving and revoking; each with its event in the same transaction."""

from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from config.base import audit
from config.base.actor import Actor
from config.base.errors import InvalidInput, NotFound, NotPermitted
from tools.approvals.offer import is_offered
from tools.approvals.terms import ApprovalScope, Remember
from tools.gates.approval import ApprovalGate
from tools.gates.cover import conditions_of
from tools.gates.prepared import PreparedCall
from tools.models import ActionDraft, StandingApproval
from tools.schemas import CallContext


def refuse_remembering(draft: ActionDraft, remember: Remember) -> InvalidInput | None:
    """Why it can't be given with this draft: it would never count."""
    if not is_offered(draft):
        return InvalidInput(_("This has to be asked for every time."), code="not_rememberable")
    if remember.scope == ApprovalScope.CONVERSATION and draft.call.conversation_id is None:
        message = _("This does not belong to a conversation.")
        return InvalidInput(message, code="not_rememberable")
    return None


def give_approval(
    actor: Actor,
    draft: ActionDraft,
    prepared: PreparedCall,
    context: CallContext,
    remember: Remember,
) -> StandingApproval:
    """Within the transaction that confirms the draft, which its owner does."""
    in_any = remember.scope == ApprovalScope.ANY
    here = remember.scope == ApprovalScope.CONVERSATION
    approval = StandingApproval.objects.create(
        owner=draft.owner,
        tool=prepared.tool,
        tool_slug=prepared.tool.slug,
        agent_id=None if in_any else draft.call.agent_id,
        conversation_id=draft.call.conversation_id if here else None,
        conditions=conditions_of(prepared.tool, prepared.tool_type, prepared.config),
        annotations=prepared.annotations.as_json(),
        reasons=sorted(code for code, _reason in ApprovalGate.demands(prepared, context)),
        uses_left=remember.uses,
        draft=draft,
        expires_at=Now() + timedelta(hours=remember.hours),
    )
    terms = {"scope": remember.scope.value, "hours": remember.hours, "uses": remember.uses}
    _record("approval.given", actor, approval, draft=str(draft.pk), **terms)
    return approval


@transaction.atomic
def revoke_approval(actor: Actor, approval_id: UUID) -> StandingApproval:
    """One's own. Twice is once. Raises `NotFound`."""
    approval = StandingApproval.objects.for_user(actor.user).filter(pk=approval_id).first()
    return _revoke(actor, approval)


@transaction.atomic
def revoke_as_operator(actor: Actor, approval_id: UUID) -> StandingApproval:
    """Anybody's. Raises `NotPermitted`, `NotFound`."""
    if not actor.user.is_staff:
        raise NotPermitted
    return _revoke(actor, StandingApproval.objects.filter(pk=approval_id).first())


def _revoke(actor: Actor, approval: StandingApproval | None) -> StandingApproval:
    if approval is None:
        raise NotFound
    rows = StandingApproval.objects.filter(pk=approval.pk, revoked_at=None)
    if rows.update(revoked_at=Now(), revoked_by=actor.user):
        _record("approval.revoked", actor, approval, owner=audit.Person(approval.owner_id))
    approval.refresh_from_db(fields=["revoked_at", "revoked_by"])
    return approval


def _record(action: str, actor: Actor, approval: StandingApproval, **facts: object) -> None:
    audit.record(
        action,
        audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("standing_approval", approval.pk),
        tool=approval.tool_slug,
        metadata=facts,
    )
