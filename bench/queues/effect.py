"""The effect that is measured: one message, written as the product does it."""

from uuid import UUID

from agents.models import Conversation, Message, MessageRole
from agents.runs.messages import count_message
from config.base.inserts import insert


def write_message(message_id: UUID, conversation_id: UUID, text: str) -> None:
    """Within a transaction; an id that is there already is an error."""
    conversation = Conversation.objects.select_for_update().get(pk=conversation_id)
    count_message(conversation, MessageRole.NOTICE)
    message = Message(
        id=message_id,
        conversation=conversation,
        position=conversation.message_count,
        role=MessageRole.NOTICE,
        text=text,
    )
    insert([message])
