"""The process that makes jobs: `python -m tests.chaos.producer SEED`, until SIGTERM.

What it was told stands in `ledger.jsonl` in its home: a line for each answer, after the commit.
"""

import json
import os
import random
import signal
import sys
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import django
from django.db import DatabaseError, InterfaceError, connection

LEDGER = "ledger.jsonl"
PER_SECOND = 20
MOST_WAITING = 150
COUNT_SECONDS = 0.5
PATIENCE_SECONDS = 60


class Producer:
    def __init__(self, seed: int) -> None:
        from agents.models import Conversation
        from config.base.actor import Actor, Origin
        from config.base.models import User

        self._rng = random.Random(seed)
        self._actor = Actor(User.objects.get(username="alice"), Origin.API)
        self._conversations = [str(pk) for pk in Conversation.objects.values_list("pk", flat=True)]
        self._waiting: list[tuple[float, Callable[[], None]]] = []
        self._ledger = (Path(os.environ["GATEHOUSE_HOME"]) / LEDGER).open("a", buffering=1)
        self._made = 0
        self._backlog, self._counted_at = 0, 0.0

    def step(self) -> None:
        """One job, what is to be done to it later, and what is due of that.

        None while many wait: a backlog that grows says nothing about a stall.
        """
        now = time.monotonic()
        if now - self._counted_at > COUNT_SECONDS:
            self._backlog, self._counted_at = self._patiently(self._count), now
        if self._backlog < MOST_WAITING:
            self._make()
        for due in [due for due in self._waiting if due[0] <= now]:
            self._waiting.remove(due)
            due[1]()

    def finish(self) -> None:
        for _, act in self._waiting:
            act()

    def _make(self) -> None:
        rng, self._made = self._rng, self._made + 1
        fate = rng.choices(["run", "cancel", "revoke", "hurry", "twice"], [70, 10, 10, 5, 5])[0]
        payload = self._payload()
        delay = rng.uniform(0.5, 3) if fate in {"cancel", "revoke", "hurry"} else 0.0
        if rng.random() < 0.1:
            delay = delay or rng.uniform(0.5, 3)
        if fate == "revoke":
            payload["permit"] = uuid.UUID(int=rng.getrandbits(128)).hex
            self._patiently(lambda: self._permit(payload["permit"]))
        key = f"key-{self._made}"
        make = self._maker(payload, key, delay)
        job = self._patiently(make)
        if fate == "twice":
            self._patiently(make)
        # Some come too late: what they are answered then is checked as well.
        later = time.monotonic() + (delay * rng.uniform(0.2, 1.2))
        acts = {"cancel": self._cancel, "revoke": self._revoke, "hurry": self._hurry}
        if fate in acts:
            act = acts[fate]
            self._waiting.append((later, lambda: act(job, payload["permit"])))

    def _count(self) -> int:
        from jobs.models import Job

        return Job.objects.waiting().count()

    def _payload(self) -> dict[str, Any]:
        rng = self._rng
        shape = rng.choices(["quick", "slow", "held", "fails", "refuses"], [66, 14, 6, 10, 4])[0]
        return {
            "conversation": rng.choice(self._conversations),
            "permit": "everybody",
            "seconds": round(rng.uniform(0.1, 1.5), 2) if shape == "slow" else 0.0,
            "held_seconds": round(rng.uniform(0.05, 0.3), 2) if shape == "held" else 0.0,
            "fails": rng.choice([1, 1, 2, 3]) if shape == "fails" else 0,
            "refuses": shape == "refuses",
        }

    def _maker(self, payload: dict[str, Any], key: str, delay: float) -> Callable[[], Any]:
        from jobs.services import enqueue

        kind = self._rng.choices(["chaos.message", "chaos.brittle"], [3, 1])[0]
        priority = self._rng.choices([0, 5, -5], [6, 1, 1])[0]
        at = datetime.now(UTC) + timedelta(seconds=delay) if delay else None

        def make() -> Any:
            # With a key: an answer that was cut off may have been a success.
            job = enqueue(
                kind,
                payload,
                actor=self._actor,
                idempotency_key=key,
                priority=priority,
                scheduled_at=at,
            )
            self._say("enqueued", job.pk, key=key)
            return job

        return make

    def _cancel(self, job: Any, _permit: str) -> None:
        from config.base.errors import Conflict
        from jobs.services import cancel_job

        def cancel() -> None:
            try:
                cancel_job(self._actor, job.pk)
            except Conflict as error:
                job.refresh_from_db()
                # Of a cancel that was cut off, too: the second one finds it done.
                self._say("cancelled" if job.status == "cancelled" else error.code, job.pk)
            else:
                self._say("cancelled", job.pk)

        self._patiently(cancel)

    def _hurry(self, job: Any, _permit: str) -> None:
        from config.base.errors import Conflict
        from jobs.services import run_job_now

        def hurry() -> None:
            with suppress(Conflict):
                run_job_now(self._actor, job.pk)

        self._patiently(hurry)

    def _permit(self, permit: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO chaos_permit (id) VALUES (%s) ON CONFLICT DO NOTHING", [permit]
            )

    def _revoke(self, job: Any, permit: str) -> None:
        from tests.chaos.tables import database_time

        def revoke() -> None:
            with connection.cursor() as cursor:
                cursor.execute("DELETE FROM chaos_permit WHERE id = %s", [permit])
            self._say("revoked", job.pk, at=database_time())

        self._patiently(revoke)

    def _patiently(self, act: Callable[[], Any]) -> Any:
        """Until the database is there; like any client that was not answered."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                return act()
            except (DatabaseError, InterfaceError):
                if time.monotonic() > deadline:
                    raise
                connection.close()
                time.sleep(0.1)

    def _say(self, what: str, job: uuid.UUID, **facts: Any) -> None:
        self._ledger.write(json.dumps({"what": what, "job": job.hex, **facts}) + "\n")


def main(seed: str) -> None:
    django.setup()
    from jobs.processes.database import keep_one_connection

    keep_one_connection()
    stopping = threading.Event()
    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, lambda *_: stopping.set())
    producer = Producer(int(seed))
    due = time.monotonic()
    while not stopping.is_set():
        producer.step()
        due = max(due + 1 / PER_SECOND, time.monotonic() - 1)
        stopping.wait(max(0.0, due - time.monotonic()))
    producer.finish()


if __name__ == "__main__":
    main(*sys.argv[1:])
