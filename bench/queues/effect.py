"""The effect that is measured: one message, by as few statements as a database allows.

The same for every system, so what differs is the queue.
"""

from uuid import UUID

from django.db import connection

from bench.queues.marks import MESSAGE

_COUNT = """
    UPDATE agents_conversation
    SET message_count = message_count + 1, unread = unread + 1, updated_at = datetime('now')
    WHERE id = %s RETURNING message_count
"""
_INSERT = """
    INSERT INTO agents_message (id, conversation_id, position, role, text, provenance, created_at)
    VALUES (%s, %s, %s, 'notice', %s, '[]', datetime('now'))
"""


def write_message(message_id: UUID, conversation_id: UUID, text: str) -> None:
    """Within a transaction; an id that is there already is an error."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(MESSAGE, [conversation_id.hex, message_id.hex, text])
            return
        cursor.execute(_COUNT, [conversation_id.hex])
        (position,) = cursor.fetchone()
        cursor.execute(_INSERT, [message_id.hex, conversation_id.hex, position, text])
