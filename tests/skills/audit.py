"""Recording, sealing and tampering, for tests of the audit."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

from config.base import audit
from config.base.actor import Actor
from skills.models import AuditEvent, AuditSeal
from skills.sealer import seal_once
from skills.seals import unpack_entries
from skills.triggers import lifted_triggers

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
PATIENCE_SECONDS = 20  # how long a test waits for another thread before it fails


def record(action: str = "tool.call.succeeded", **facts: Any) -> AuditEvent:
    """The newest event; `facts` as those of `audit.record`."""
    actor: Actor | None = facts.pop("actor", None)
    outcome: audit.Outcome = facts.pop("outcome", audit.Outcome.SUCCEEDED)
    audit.record(action, outcome, actor=actor, **facts)
    return AuditEvent.objects.latest("id")


def record_many(count: int) -> list[AuditEvent]:
    return [record(reason_code=f"event_{number}") for number in range(count)]


def seal_all(now: datetime = NOW) -> list[AuditSeal]:
    return list(iter(lambda: seal_once(now), None))


def sealed_ids() -> list[int]:
    """Through the seals, in the order of the chain."""
    seals = AuditSeal.objects.order_by("n")
    return [event_id for seal in seals for event_id, _ in unpack_entries(bytes(seal.entries))]


def run_sql(sql: str, parameters: Sequence[Any] = ()) -> int:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        count: int = cursor.rowcount
        return count


@contextmanager
def triggers_lifted(on: BaseDatabaseWrapper = connection) -> Iterator[None]:
    """What somebody does who owns the database and wants no trace of it."""
    with lifted_triggers(on):
        yield


class Thread(threading.Thread):
    """With a database connection of its own, given back at the end; `finish` raises its error."""

    def __init__(self, work: Callable[[], object]) -> None:
        super().__init__(daemon=True)
        self._work = work
        self._error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self._work()
        except BaseException as error:  # noqa: BLE001  (handed to the test by `finish`)
            self._error = error
        finally:
            connection.close()

    def finish(self) -> None:
        self.join(PATIENCE_SECONDS)
        assert not self.is_alive(), "a thread is stuck"
        if self._error:
            raise self._error
