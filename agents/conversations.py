"""What a person does with their conversations beside talking: read, rename, delete."""

from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from agents.memories.retention import archive_session_memories
from agents.models import Conversation, Message, MessageRole, Run
from agents.runs.finish import cancel_run
from agents.runs.messages import add_message
from agents.selectors import get_conversation
from agents.workflows import forget_workflows, has_workflows
from config.base import audit
from config.base.actor import Actor
from config.base.errors import InvalidInput, NotFound
from tools.drafts import close_calls_of_run

MAX_TITLE_LENGTH = 200


def mark_read(conversation: Conversation, shown: int) -> None:
    """As far as its `shown`-th message: what came after it stays unread."""
    if conversation.unread or shown > conversation.message_count:
        rows = Conversation.objects.filter(pk=conversation.pk, message_count__lte=shown)
        rows.update(unread=0)


@transaction.atomic
def rename_conversation(actor: Actor, conversation_id: UUID, title: str) -> Conversation:
    """Raises `NotFound`, `InvalidInput`."""
    conversation = _lock(actor, conversation_id)
    conversation.title = _clean(title)
    conversation.save(update_fields=["title"])
    _record("conversation.renamed", actor, conversation_id)
    return conversation


def delete_conversation(actor: Actor, conversation_id: UUID) -> None:
    """With everything that was said in it. What still runs is stopped; documents stay, and what was
    to be remembered for its time is archived.

    Raises `NotFound`.
    """
    while not _is_deleted(actor, conversation_id):
        pass  # each time a message has come in between


def _is_deleted(actor: Actor, conversation_id: UUID) -> bool:
    try:
        _delete(actor, conversation_id)
    except _GoesOn:
        return False
    return True


@transaction.atomic
def _delete(actor: Actor, conversation_id: UUID) -> None:
    """Locks in the order of all: runs, workflows, drafts, conversation.

    Nothing begins any more once the conversation is held; what has begun before, and was not seen,
    can't be locked after it. Raises `NotFound`, `_GoesOn`.
    """
    conversation = get_conversation(actor.user, conversation_id)
    runs = Run.objects.unfinished().filter(conversation=conversation)
    going_on = list(runs.select_for_update().order_by("pk").values_list("pk", flat=True))
    forget_workflows(actor, conversation_id)
    for run_id in going_on:  # of all of them before the first one takes the conversation
        close_calls_of_run(actor, run_id)
    for run_id in going_on:
        cancel_run(actor, run_id)
    held = _lock(actor, conversation_id)
    if runs.exists() or has_workflows(actor, conversation_id):
        raise _GoesOn
    archive_session_memories(actor, conversation_id)
    held.delete()
    _record("conversation.deleted", actor, conversation_id)


class _GoesOn(Exception):
    """Something has begun in the conversation while it was being deleted."""


@transaction.atomic
def post_message(
    actor: Actor, conversation_id: UUID, text: str, *, provenance: list[str]
) -> Message:
    """What an agent says there beside its answers. Raises `NotFound`."""
    conversation = _lock(actor, conversation_id)
    message = add_message(conversation, MessageRole.ASSISTANT, text, provenance=provenance)
    _record("conversation.message_sent", actor, conversation_id)
    return message


def _lock(actor: Actor, conversation_id: UUID) -> Conversation:
    rows = Conversation.objects.for_user(actor.user).select_for_update()
    conversation = rows.filter(pk=conversation_id).first()
    if conversation is None:
        raise NotFound
    return conversation


def _clean(title: str) -> str:
    title = " ".join(title.replace("\x00", "").split())
    if not title:
        raise InvalidInput(_("Give it a title."), code="required")
    if len(title) > MAX_TITLE_LENGTH:
        message = _("A title has at most %(n)s characters.") % {"n": MAX_TITLE_LENGTH}
        raise InvalidInput(message, code="too_long")
    return title


def _record(action: str, actor: Actor, conversation_id: UUID) -> None:
    target = ("conversation", conversation_id)
    audit.record(action, audit.Outcome.SUCCEEDED, actor=actor, target=target)
