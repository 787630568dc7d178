"""The queues that are measured: how each starts its workers, takes a task, and says it is done."""

import os
import sys
import time
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from django.db import connection, transaction

from agents.models import Conversation, Message
from bench.queues.marks import count_tallied
from config.base.ids import uuid7


class System(Protocol):
    commands: list[list[str]]  # each a program of workers

    def send_message(
        self, conversation: Conversation, due: datetime | None = None
    ) -> tuple[UUID, float]:
        """The message's id, and when its task was committed."""

    def send_nothing(self) -> None: ...

    def is_empty(self) -> bool:
        """Whether everything that was sent is acknowledged."""

    def close(self) -> None: ...


class Ours:
    """With `redis`, wake-ups go through it; the settings of this process say which it is."""

    commands = [[sys.executable, "manage.py", "serve", "--only", "worker", "--no-migrate"]]

    def send_message(
        self, conversation: Conversation, due: datetime | None = None
    ) -> tuple[UUID, float]:
        from config.base.actor import Actor, Origin
        from jobs.services import enqueue

        committed: list[float] = []
        actor = Actor(conversation.owner, Origin.API)
        with transaction.atomic():
            transaction.on_commit(lambda: committed.append(time.time()))  # before the wake-up
            payload = {"conversation": str(conversation.pk)}
            job = enqueue("bench.message", payload, actor=actor, scheduled_at=due)
        return job.pk, committed[0]

    def send_nothing(self) -> None:
        from jobs.services import enqueue

        enqueue("bench.nothing", actor=None)

    def is_empty(self) -> bool:
        """Of the benchmark's own: the product has work of its own, planned for some day."""
        return not _asks(
            "SELECT EXISTS (SELECT 1 FROM jobs_job WHERE next_attempt_at IS NOT NULL"
            " AND kind LIKE 'bench.%')"
            " OR EXISTS (SELECT 1 FROM jobs_job WHERE lease_expires_at IS NOT NULL"
            " AND kind LIKE 'bench.%')"
        )

    def close(self) -> None:
        """Nothing of its own is open."""


class RawQ2:
    commands = [[sys.executable, "-m", "django", "qcluster"]]

    def send_message(
        self, conversation: Conversation, due: datetime | None = None
    ) -> tuple[UUID, float]:
        from django_q.tasks import async_task

        if due is not None:
            raise ValueError("its schedules have a grid of 30 seconds")
        message_id = uuid7()
        async_task("bench.queues.tasks.message", message_id, conversation.pk)
        return message_id, time.time()

    def send_nothing(self) -> None:
        from django_q.tasks import async_task

        async_task("bench.queues.tasks.nothing")

    def is_empty(self) -> bool:
        """On Redis there are no acknowledgements: what was done is counted."""
        from django.conf import settings

        return bool(settings.REDIS_URL) or not _asks("SELECT EXISTS (SELECT 1 FROM django_q_ormq)")

    def close(self) -> None:
        """Nothing of its own is open."""


class Procrastinate:
    def __init__(self, processes: int = 1) -> None:
        from procrastinate import App, SyncPsycopgConnector

        command = [sys.executable, "-m", "bench.queues.procrastinate_worker"]
        self.commands = [command] * processes
        self._app = App(connector=SyncPsycopgConnector(conninfo=os.environ["DATABASE_URL"]))
        self._app.open()
        self._app.schema_manager.apply_schema()

    def send_message(
        self, conversation: Conversation, due: datetime | None = None
    ) -> tuple[UUID, float]:
        message_id = uuid7()
        when: Any = {"schedule_at": due} if due else {}
        task = self._app.configure_task("message", allow_unknown=True, **when)
        task.defer(message_id=str(message_id), conversation_id=str(conversation.pk))
        return message_id, time.time()

    def send_nothing(self) -> None:
        self._app.configure_task("nothing", allow_unknown=True).defer()

    def is_empty(self) -> bool:
        return not _asks(
            "SELECT EXISTS (SELECT 1 FROM procrastinate_jobs WHERE status IN ('todo', 'doing'))"
        )

    def close(self) -> None:
        self._app.close()


def make_system(name: str) -> System:
    if name.startswith("ours"):
        return Ours()
    if name.startswith("q2"):
        return RawQ2()
    return Procrastinate(int(name.removeprefix("procrastinate_")))


def count_effects() -> int:
    return Message.objects.count() + count_tallied()


def _asks(statement: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return bool(cursor.fetchone()[0])
