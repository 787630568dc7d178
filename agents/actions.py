"""A person's decisions on drafts, and what they set going: the run goes on, or a receipt is kept.

`tools` never calls up: it commits the decision, and this wakes the run whose call it closed.
"""

from uuid import UUID

from django.db import IntegrityError, transaction

from agents.models import Conversation, Message, MessageRole, Run
from agents.runs.start import add_message
from agents.runs.wake import wake
from config.base.actor import Actor
from config.base.idempotency import check_key
from tools import drafts
from tools.enums import DraftState
from tools.models import ActionDraft
from tools.schemas import JSON


def confirm(
    actor: Actor,
    draft_id: UUID,
    *,
    expected_version: int,
    idempotency_key: str,
    arguments: JSON | None = None,
) -> ActionDraft:
    """See `tools.drafts.confirm_draft` for what it raises."""
    draft = drafts.confirm_draft(
        actor,
        draft_id,
        expected_version=expected_version,
        idempotency_key=check_key(idempotency_key),
        arguments=arguments,
    )
    return _follow_up(draft)


def dismiss(actor: Actor, draft_id: UUID, *, reason: str = "") -> ActionDraft:
    return _follow_up(drafts.dismiss_draft(actor, draft_id, reason=reason))


def respond(actor: Actor, draft_id: UUID, *, message: str) -> ActionDraft:
    return _follow_up(drafts.respond_to_draft(actor, draft_id, message=message))


def resolve(actor: Actor, draft_id: UUID, *, expected_version: int, done: bool) -> ActionDraft:
    return _follow_up(
        drafts.resolve_draft(actor, draft_id, expected_version=expected_version, done=done)
    )


def _follow_up(draft: ActionDraft) -> ActionDraft:
    run_id = draft.call.run_id
    run = Run.objects.filter(pk=run_id).first() if run_id else None
    if run is not None:
        if run.is_finished and draft.state == DraftState.EXECUTED:
            _keep_receipt(run, draft)
        wake()
    return draft


def _keep_receipt(run: Run, draft: ActionDraft) -> None:
    """A retry that succeeded after its run had ended: said in the conversation, once."""
    if (
        run.conversation_id is None
        or Message.objects.filter(draft_id=draft.pk, role=MessageRole.RECEIPT).exists()
    ):
        return
    try:
        with transaction.atomic():
            conversation = Conversation.objects.select_for_update().get(pk=run.conversation_id)
            text = f"{draft.plan['title']}: done."
            add_message(conversation, MessageRole.RECEIPT, text, draft_id=draft.pk)
    except IntegrityError:
        return  # a twin was first
