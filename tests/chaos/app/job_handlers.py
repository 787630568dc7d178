"""Jobs that write one message each, and leave traces that no fence takes back."""

import os
import time
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from pydantic import JsonValue

from agents.models import Conversation, MessageRole
from agents.runs.messages import add_message
from jobs.errors import PermanentFailure
from jobs.handlers import Handler, JobCall, Payload
from jobs.models import Job
from jobs.registry import register

STARTS = "starts.log"


class ChaosPayload(Payload):
    conversation: UUID
    permit: str  # a row of chaos_permit, without which it may not run
    seconds: float = 0  # of waiting outside a transaction
    held_seconds: float = 0  # and inside
    fails: int = 0  # so many attempts
    refuses: bool = False


@register
class Chaos(Handler[ChaosPayload]):
    kind = "chaos.message"
    payload_model = ChaosPayload
    max_attempts = 6

    def check_permission(self, job: Job, payload: ChaosPayload) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM chaos_permit WHERE id = %s", [payload.permit])
            if cursor.fetchone() is None:
                raise PermanentFailure

    def prepare(self, call: JobCall[ChaosPayload]) -> None:
        note_start(call)
        time.sleep(call.payload.seconds)
        if call.payload.refuses:
            raise PermanentFailure
        if call.job.attempts <= call.payload.fails:
            raise RuntimeError("as it was asked to")

    def apply(self, call: JobCall[ChaosPayload], prepared: Any) -> JsonValue:
        conversation = Conversation.objects.select_for_update().get(pk=call.payload.conversation)
        # Its own id, not the job's: that could not be there twice, whatever a worker did.
        add_message(conversation, MessageRole.NOTICE, call.id.hex)
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO chaos_effect (job, revision, owner) VALUES (%s, %s, %s)",
                [call.id.hex, call.job.revision, call.job.lease_owner],
            )
        time.sleep(call.payload.held_seconds)
        return {"pid": os.getpid()}


@register
class Brittle(Chaos):
    """Has the product's own number of attempts."""

    kind = "chaos.brittle"
    max_attempts = 3


class PingPayload(Payload):
    seconds: float = 0


@register
class Ping(Handler[PingPayload]):
    """Needs no tables but the product's; says who did it."""

    kind = "chaos.ping"
    payload_model = PingPayload

    def prepare(self, call: JobCall[PingPayload]) -> None:
        time.sleep(call.payload.seconds)

    def apply(self, call: JobCall[PingPayload], prepared: Any) -> JsonValue:
        return {"pid": os.getpid()}


def note_start(call: JobCall[Any]) -> None:
    """One line, written at once: no rollback and no kill takes it back."""
    line = f"{call.id.hex} {call.job.attempts} {os.getpid()} {time.monotonic():.3f}\n"
    file = os.open(settings.HOME / STARTS, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, line.encode())
    os.close(file)
