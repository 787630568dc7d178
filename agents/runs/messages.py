"""What stands in a conversation."""

from typing import Any
from uuid import UUID

from django.utils import timezone

from agents.models import Conversation, Message, MessageRole, Run
from config.base.inserts import insert


def add_message(
    conversation: Conversation,
    role: MessageRole,
    text: str,
    *,
    run: Run | None = None,
    provenance: list[str] | None = None,
    draft_id: UUID | None = None,
    **changes: Any,
) -> Message:
    """Within a transaction that holds the conversation's row; stores these `changes` of it too."""
    count_message(conversation, role, **changes)
    return insert_message(
        conversation, role, text, run=run, provenance=provenance, draft_id=draft_id
    )


def count_message(conversation: Conversation, role: MessageRole, **changes: Any) -> None:
    conversation.message_count += 1
    conversation.unread = 0 if role == MessageRole.USER else conversation.unread + 1
    Conversation.objects.filter(pk=conversation.pk).update(
        message_count=conversation.message_count,
        unread=conversation.unread,
        updated_at=timezone.now(),
        **changes,
    )


def insert_message(
    conversation: Conversation,
    role: MessageRole,
    text: str,
    *,
    run: Run | None = None,
    provenance: list[str] | None = None,
    draft_id: UUID | None = None,
) -> Message:
    """The newest one of a conversation that has counted it."""
    message = Message(
        conversation=conversation,
        position=conversation.message_count,
        role=role,
        text=text,
        run=run,
        provenance=provenance or [],
        draft_id=draft_id,
    )
    insert([message])
    return message
