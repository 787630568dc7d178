"""What stands in a conversation."""

from uuid import UUID

from agents.models import Conversation, Message, MessageRole, Run


def add_message(
    conversation: Conversation,
    role: MessageRole,
    text: str,
    *,
    run: Run | None = None,
    provenance: list[str] | None = None,
    draft_id: UUID | None = None,
) -> Message:
    """Within a transaction that holds the conversation's row."""
    conversation.message_count += 1
    conversation.unread = 0 if role == MessageRole.USER else conversation.unread + 1
    conversation.save()
    return Message.objects.create(
        conversation=conversation,
        position=conversation.message_count,
        role=role,
        text=text,
        run=run,
        provenance=provenance or [],
        draft_id=draft_id,
    )
