"""Workflows in their conversations: expiry is said there, and what was answered ends with them."""

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone, translation

from agents.models import Conversation, MessageRole
from agents.runs.messages import add_message
from config.base.actor import Actor, Origin
from skills.models import WorkflowSession
from skills.models.session import WorkflowSessionQuerySet
from skills.workflows import texts
from skills.workflows.moving import Change
from skills.workflows.services import expire_session, forget_session
from skills.workflows.shown import name_of

_BATCH = 100


def expire_due_workflows() -> int:
    """For housekeeping: those that nobody went on with, each told to its conversation."""
    due = WorkflowSession.objects.due(timezone.now()).order_by("expires_at")
    return sum(_expire(session) for session in due.select_related("user")[:_BATCH])


@transaction.atomic
def _expire(session: WorkflowSession) -> bool:
    actor = Actor(user=session.user, origin=Origin.JOB)
    moved = expire_session(Change(actor, session.pk, timezone.now()))
    rows = Conversation.objects.select_for_update().filter(pk=session.conversation_id)
    conversation = rows.first() if moved.has_expired else None
    if conversation is not None:
        with translation.override(session.user.language):
            add_message(conversation, MessageRole.NOTICE, texts.expired(name_of(session)))
    return moved.move is not None


def purge_old_workflows() -> int:
    """For housekeeping: those that ended as long ago as content is kept, with what was answered."""
    before = timezone.now() - timedelta(days=settings.CALL_CONTENT_DAYS)
    old = WorkflowSession.objects.filter(finished_at__lt=before).order_by("finished_at")
    ids = list(old.values_list("pk", flat=True)[:_BATCH])
    WorkflowSession.objects.filter(pk__in=ids).delete()
    return len(ids)


def forget_workflows(actor: Actor, conversation_id: UUID) -> None:
    """With a conversation goes what was answered in it; what is under way is cancelled."""
    sessions = _of_conversation(actor, conversation_id)
    for pk in sessions.open().order_by("pk").values_list("pk", flat=True):
        forget_session(Change(actor, pk, timezone.now()))
    sessions.filter(finished_at__isnull=False).delete()  # one may have begun since


def has_workflows(actor: Actor, conversation_id: UUID) -> bool:
    return _of_conversation(actor, conversation_id).exists()


def _of_conversation(actor: Actor, conversation_id: UUID) -> WorkflowSessionQuerySet:
    return WorkflowSession.objects.for_user(actor.user).filter(conversation_id=conversation_id)
