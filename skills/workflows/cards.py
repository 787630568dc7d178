"""The card by which a person confirms what a workflow writes: where it is, and taking it back."""

from collections.abc import Iterable
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
# Being decided, or decided: what it shows need not be shown again.
_SHOWN = (*WAITING, DraftState.CONFIRMED, DraftState.EXECUTED)


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


def sessions_with_cards(sessions: Iterable[WorkflowSession]) -> set[UUID]:
    """Which of them show what they will write, or have written it; one query, none for none."""
    ready = {_prefix(session): session for session in sessions if session.is_ready}
    if not ready:
        return set()
    keys = ActionDraft.objects.filter(
        state__in=_SHOWN,
        owner__in={session.user_id for session in ready.values()},
        call__conversation_id__in={session.conversation_id for session in ready.values()},
        call__idempotency_key__startswith=f"{_KIND}:",
    ).values_list("call__idempotency_key", flat=True)
    prefixes = {key.rpartition(":")[0] + ":" for key in keys}
    return {session.pk for prefix, session in ready.items() if prefix in prefixes}


def close_cards(actor: Actor, session: WorkflowSession, reason: DismissReason) -> bool:
    """Within the transaction that holds the session: nothing of it can be confirmed, or tried
    again, any more.

    True when a person was faster, and it is written.
    """
    left = cards_of(session).filter(state__in=(*WAITING, DraftState.FAILED))
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
    keys = cards_of(session).values_list("call__idempotency_key", flat=True)
    return last_key(session, {*keys, call.idempotency_key}) != call.idempotency_key


def last_key(session: WorkflowSession, keys: Iterable[str]) -> str:
    """Of the calls with these keys, that of the one which was asked for last: by the moves of the
    session, not by the clocks of the processes that made the calls.
    """
    by_message = {key.removeprefix(_prefix(session)): key for key in keys}
    moves = session.moves.filter(message_id__in=by_message).order_by("-n")
    last = moves.values_list("message_id", flat=True).first()
    return by_message.get(str(last), "")
