"""The card by which a person confirms what a workflow writes: where it is, and taking it back."""

from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from config.base.actor import Actor
from config.base.wake import wake
from skills.models import WorkflowSession
from tools.drafts import close_draft
from tools.enums import DismissReason, DraftState
from tools.models import ActionDraft, ToolCall
from tools.models.draft import WAITING

_KIND = "workflow"


def call_key(session: WorkflowSession, message_id: UUID) -> str:
    """Of the call that this message asks for: the same however often it comes."""
    return f"{_prefix(session)}{message_id}"


def _prefix(session: WorkflowSession) -> str:
    return f"{_KIND}:{session.pk}:"


def cards_of(session: WorkflowSession) -> QuerySet[ActionDraft]:
    return ActionDraft.objects.filter(
        owner=session.user_id,
        call__conversation_id=session.conversation_id,
        call__idempotency_key__startswith=_prefix(session),
    )


def waiting_card(session: WorkflowSession) -> ActionDraft | None:
    return cards_of(session).filter(state__in=WAITING).select_related("call").first()


def close_cards(actor: Actor, session: WorkflowSession, *, goes_on: bool) -> bool:
    """Within the transaction that holds the session: nothing of it can be confirmed, or tried
    again, any more.

    `goes_on`: the person corrects what it shows, and a new card follows. True when a person was
    faster, and it is written.
    """
    left = cards_of(session).filter(state__in=(*WAITING, DraftState.FAILED))
    reason = DismissReason.REPLACED if goes_on else DismissReason.REFUSED
    for pk in left.values_list("pk", flat=True):
        close_draft(actor, pk, reason)  # what was decided meanwhile is looked up below
    transaction.on_commit(wake)  # a run waits for what was closed
    return is_written(session)


def is_written(session: WorkflowSession) -> bool:
    """Though nobody has completed it: its run was over by then, or has yet to say so."""
    return cards_of(session).filter(state=DraftState.EXECUTED).exists()


def is_over(call: ToolCall) -> bool:
    """Of a call that a workflow made: it has ended, or has made another card since, so this one's
    must write nothing.
    """
    kind, _sep, rest = call.idempotency_key.partition(":")
    if kind != _KIND:
        return False
    session_id = rest.partition(":")[0]
    session = WorkflowSession.objects.filter(pk=session_id, user=call.user_id).first()
    if session is None or not session.is_open:
        return True
    return cards_of(session).filter(call__created_at__gt=call.created_at).exists()
