"""Tasks of raw django-q2: the same effect, asked of nobody and recorded nowhere."""

from uuid import UUID

from django.db import transaction

from bench.queues.effect import write_message
from bench.queues.marks import now_text, tally


def message(message_id: UUID, conversation_id: UUID) -> None:
    began = now_text()
    with transaction.atomic():
        write_message(message_id, conversation_id, began)


def nothing() -> None:
    tally()
