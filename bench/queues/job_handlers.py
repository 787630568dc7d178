"""The full path of the product: a permission that is asked, a payload, a message, the audit."""

from typing import Any
from uuid import UUID

from pydantic import JsonValue

from agents.models import Conversation
from bench.queues.effect import write_message
from bench.queues.marks import now_text, tally
from jobs.errors import PermanentFailure
from jobs.handlers import Handler, JobCall, Payload
from jobs.models import Job
from jobs.registry import register


class MessagePayload(Payload):
    conversation: UUID


@register
class WriteMessage(Handler[MessagePayload]):
    kind = "bench.message"
    payload_model = MessagePayload

    def check_permission(self, job: Job, payload: MessagePayload) -> None:
        """The owner's own conversation still, with an agent that is switched on."""
        mine = Conversation.objects.filter(owner=job.owner_id, agent__enabled=True)
        if not mine.filter(pk=payload.conversation).exists():
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
