"""One system on one fresh database: `python -m bench.queues.session` is started by bench.jobs.

The environment says which (BENCH_SYSTEM, DATABASE_URL, GATEHOUSE_REDIS_URL, GATEHOUSE_HOME), its
argument how much is measured; it prints one line of JSON.
"""

import json
import os
import random
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import django

from bench.queues.workers import Workers

if TYPE_CHECKING:
    from agents.models import Conversation
    from bench.queues.systems import System

WARM_UP = 60
PACE_SECONDS = 0.05
POLL_SECONDS = 0.01
QUIET_SECONDS = 0.5
DONE_SECONDS = 180


@dataclass(frozen=True, slots=True)
class Amounts:
    backlog: int
    paced: int = 0
    delayed: int = 0
    noops: int = 0  # a backlog of tasks without an effect
    beside: bool = False  # a web process that writes during a second drain


@dataclass(slots=True)
class Measured:
    sent_per_s: float = 0
    messages_per_s: float = 0
    noops_per_s: float = 0
    start_ms: list[float] = field(default_factory=list)
    late_s: list[float] = field(default_factory=list)
    beside_ms: list[float] = field(default_factory=list)
    beside_per_s: float = 0
    log_errors: list[str] = field(default_factory=list)


class Session:
    def __init__(self, system: "System", workers: Workers) -> None:
        from agents.models import Conversation

        self.system = system
        self.workers = workers
        self.sent = 0
        self._conversations = cycle(Conversation.objects.select_related("owner").order_by("pk"))

    def next_conversation(self) -> "Conversation":
        self.sent += 1
        return next(self._conversations)

    def send_message(self) -> None:
        self.system.send_message(self.next_conversation())

    def send_nothing(self) -> None:
        self.sent += 1
        self.system.send_nothing()

    def wait_done(self) -> None:
        """Until every effect is there and every task acknowledged; more effects are an error."""
        from bench.queues.systems import count_effects

        deadline = time.monotonic() + DONE_SECONDS
        while not self.system.is_empty() or count_effects() < self.sent:
            self.workers.check()
            if time.monotonic() > deadline:
                raise SystemExit(f"not done: {count_effects()} of {self.sent}")
            time.sleep(POLL_SECONDS)
        if count_effects() > self.sent:
            raise SystemExit(f"{count_effects() - self.sent} effects too many")

    def drain(
        self,
        count: int,
        send: Callable[[], None],
        beside: AbstractContextManager[None] | None = None,
    ) -> tuple[float, float]:
        """Sent, and then done, per second: the workers are frozen while the backlog is made."""
        time.sleep(QUIET_SECONDS)
        with self.workers.frozen():
            began = time.monotonic()
            for _ in range(count):
                send()
            sending = time.monotonic() - began
            began = time.monotonic()
        with beside or nullcontext():
            self.wait_done()
            return count / sending, count / (time.monotonic() - began)

    def pace(self, count: int) -> list[float]:
        """Milliseconds from each commit to the start of its handler, on an idle system."""
        time.sleep(QUIET_SECONDS)
        committed: dict[UUID, float] = {}
        began = time.monotonic()
        for n in range(count):
            time.sleep(max(0.0, began + n * PACE_SECONDS - time.monotonic()))
            message_id, at = self.system.send_message(self.next_conversation())
            committed[message_id] = at
        self.wait_done()
        return [(start - committed[key]) * 1000 for key, start in starts_of(committed).items()]

    def delay(self, count: int) -> list[float]:
        """Seconds from when each was due, two to five from now, to the start of its handler."""
        time.sleep(QUIET_SECONDS)
        due: dict[UUID, datetime] = {}
        now = datetime.now(UTC)
        for _ in range(count):
            at = now + timedelta(seconds=random.uniform(2, 5))
            due[self.system.send_message(self.next_conversation(), at)[0]] = at
        self.wait_done()
        return [start - due[key].timestamp() for key, start in starts_of(due).items()]


def starts_of(ids: dict[UUID, Any]) -> dict[UUID, float]:
    from agents.models import Message

    found = Message.objects.filter(pk__in=list(ids)).values_list("pk", "text")
    return {key: float(text) for key, text in found}


def measure(session: Session, amounts: Amounts) -> Measured:
    from bench.queues.beside import writing_beside

    measured = Measured()
    for n in range(WARM_UP):
        (session.send_message if n % 2 else session.send_nothing)()
    session.wait_done()
    measured.sent_per_s, measured.messages_per_s = session.drain(
        amounts.backlog, session.send_message
    )
    if amounts.beside:
        beside = writing_beside(measured.beside_ms)
        _, measured.beside_per_s = session.drain(amounts.backlog, session.send_message, beside)
    if amounts.noops:
        _, measured.noops_per_s = session.drain(amounts.noops, session.send_nothing)
    measured.start_ms = session.pace(amounts.paced) if amounts.paced else []
    measured.late_s = session.delay(amounts.delayed) if amounts.delayed else []
    return measured


def main() -> None:
    amounts = Amounts(**json.loads(sys.argv[1]))
    django.setup()
    from bench.queues.checks import check_ours
    from bench.queues.systems import make_system

    name = os.environ["BENCH_SYSTEM"]
    log = Path(os.environ["GATEHOUSE_HOME"]) / "workers.log"
    system = make_system(name)
    workers = Workers(system.commands, log)
    try:
        session = Session(system, workers)
        measured = measure(session, amounts)
        if name.startswith("ours"):
            check_ours(session.sent)
    finally:
        workers.end()
        system.close()
    measured.log_errors = [line for line in log.read_text().splitlines() if "ERROR" in line]
    print(json.dumps(asdict(measured)))


if __name__ == "__main__":
    main()
