"""The card by which a person confirms what a workflow writes: where it is, and taking it back."""

from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from config.base.actor import Actor
from config.base.wake import wake
from skills.models import WorkflowSession
from tools.drafts import dismiss_draft
from tools.enums import DraftState
from tools.errors import AlreadyDecided, DraftExpired
from tools.models import ActionDraft
from tools.models.draft import WAITING


def call_key(session: WorkflowSession, message_id: UUID) -> str:
    """Of the call that this message asks for: the same however often it comes."""
    return f"{_prefix(session)}{message_id}"


def _prefix(session: WorkflowSession) -> str:
    return f"workflow:{session.pk}:"


def cards_of(session: WorkflowSession) -> QuerySet[ActionDraft]:
    return ActionDraft.objects.filter(
        owner=session.user_id,
        call__conversation_id=session.conversation_id,
        call__idempotency_key__startswith=_prefix(session),
    )


def waiting_card(session: WorkflowSession) -> ActionDraft | None:
    return cards_of(session).filter(state__in=WAITING).select_related("call").first()


def close_cards(actor: Actor, session: WorkflowSession) -> bool:
    """Within the transaction that holds the session: nothing of it can be confirmed any more.

    True when a person was faster, and it is written.
    """
    for pk in cards_of(session).filter(state__in=WAITING).values_list("pk", flat=True):
        try:
            dismiss_draft(actor, pk)
        except (AlreadyDecided, DraftExpired):
            continue  # what it came to is looked up below
    transaction.on_commit(wake)  # a run waits for what was closed
    return is_written(session)


def is_written(session: WorkflowSession) -> bool:
    """Though nobody has completed it: its run was over by then, or has yet to say so."""
    return cards_of(session).filter(state=DraftState.EXECUTED).exists()
