"""The full path of the product: a permission that is asked, a payload, a message, the audit."""

from typing import Any
from uuid import UUID

from django.db import connection
from pydantic import JsonValue

from bench.queues.effect import write_message
from bench.queues.marks import now_text, tally
from jobs.errors import PermanentFailure
from jobs.handlers import Handler, JobCall, Payload
from jobs.models import Job
from jobs.registry import register

_MINE = "SELECT 1 FROM agents_conversation WHERE id = %s AND owner_id = %s"


class MessagePayload(Payload):
    conversation: UUID


@register
class WriteMessage(Handler[MessagePayload]):
    kind = "bench.message"
    payload_model = MessagePayload

    def check_permission(self, job: Job, payload: MessagePayload) -> None:
        """Still the owner's own conversation, by a statement of its own like all of a hot path."""
        if job.owner_id is None:
            raise PermanentFailure
        with connection.cursor() as cursor:
            cursor.execute(_MINE, [payload.conversation.hex, job.owner_id.hex])
            if cursor.fetchone() is None:
                raise PermanentFailure

    def prepare(self, call: JobCall[MessagePayload]) -> str:
        return now_text()

    def apply(self, call: JobCall[MessagePayload], prepared: str) -> JsonValue:
        write_message(call.id, call.payload.conversation, prepared)
        return None


@register
class DoNothing(Handler[Any]):
    kind = "bench.nothing"

    def prepare(self, call: JobCall[Any]) -> None:
        tally()
