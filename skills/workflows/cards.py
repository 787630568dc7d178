"""The card by which a person confirms what a workflow writes: where it is, and taking it back."""

from uuid import UUID

from django.db.models import QuerySet

from config.base.actor import Actor
from skills.models import WorkflowSession
from tools.drafts import dismiss_draft, replace_draft
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


def close_cards(actor: Actor, session: WorkflowSession, *, goes_on: bool) -> bool:
    """Within the transaction that holds the session: nothing of it can be confirmed any more.

    `goes_on`: the person corrects what it shows, and a new card follows. True when a person was
    faster, and it is written.
    """
    close = replace_draft if goes_on else dismiss_draft
    for pk in cards_of(session).filter(state__in=WAITING).values_list("pk", flat=True):
        try:
            close(actor, pk)
        except (AlreadyDecided, DraftExpired):
            continue  # what it came to is looked up below
    return cards_of(session).filter(state=DraftState.EXECUTED).exists()
