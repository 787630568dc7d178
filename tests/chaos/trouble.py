"""What befalls the machines: each choice comes from one random number generator."""

import random
import signal
import sqlite3
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from django.db import connection

from scripts.with_postgres import Postgres
from tests.chaos.app import roles
from tests.chaos.facts import Span
from tests.chaos.machines import Machine

# Often what is common; a killed supervisor or cluster takes the others of its machine with it.
TARGETS = {
    roles.WORKER: 8,
    roles.PUSHER: 3,
    roles.MONITOR: 3,
    roles.PULSE: 3,
    roles.WATCHDOG: 3,
    roles.SENTINEL: 2,
    roles.CLUSTER: 2,
    roles.SUPERVISOR: 1,
}
PACE_SECONDS = (0.25, 0.6)
FREEZE_LEASES = 1.5


class Database(Protocol):
    """The trouble that is particular to one of the two."""

    weights: dict[str, int]

    def strike(self, deed: str, rng: random.Random) -> tuple[str, Span | None]:
        """What was done, and the time in which the database served nobody."""


class PostgresTrouble:
    def __init__(self, server: Postgres) -> None:
        self.weights = {"restart": 1, "cut": 4}
        self._server = server

    def strike(self, deed: str, rng: random.Random) -> tuple[str, Span | None]:
        return self._restart(rng) if deed == "restart" else self._cut(rng)

    def _restart(self, rng: random.Random) -> tuple[str, Span | None]:
        seconds = round(rng.uniform(0, 1), 2)
        began = time.time()
        self._server.restart(down_seconds=seconds)
        connection.close()
        return f"PostgreSQL down for {seconds} s", (began, time.time())

    def _cut(self, rng: random.Random) -> tuple[str, Span | None]:
        place = rng.random()
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
                " AND backend_type = 'client backend' AND application_name = '' ORDER BY pid"
            )
            pids = [pid for (pid,) in cursor.fetchall()]
            if not pids:
                return "no connection to cut", None
            cursor.execute("SELECT pg_terminate_backend(%s)", [pids[int(place * len(pids))]])
        return "connection cut", None


class SqliteTrouble:
    def __init__(self, file: Path) -> None:
        self.weights = {"hold": 2}
        self._file = file

    def strike(self, deed: str, rng: random.Random) -> tuple[str, Span | None]:
        """Somebody else writes, and takes a while."""
        seconds = round(rng.uniform(0.5, 1), 2)
        foreign = sqlite3.connect(self._file, isolation_level=None, timeout=30)
        began = time.time()
        try:
            foreign.execute("BEGIN IMMEDIATE")
            time.sleep(seconds)
            foreign.execute("ROLLBACK")
        finally:
            foreign.close()
        return f"SQLite locked for {seconds} s", (began, time.time())


@dataclass(slots=True)
class Trouble:
    rng: random.Random
    machines: list[Machine]
    database: Database
    lease_seconds: float
    done: Counter[str] = field(default_factory=Counter)
    outages: list[Span] = field(default_factory=list)
    journal: list[str] = field(default_factory=list)
    _frozen: list[tuple[float, Machine, int]] = field(default_factory=list)

    @property
    def kills(self) -> int:
        return sum(count for deed, count in self.done.items() if deed.startswith("killed "))

    def next(self) -> None:
        """One deed, and the pause after it."""
        weights = {"kill": 20, "freeze": 3, **self.database.weights}
        (deed,) = self.rng.choices(list(weights), list(weights.values()))
        if deed == "kill":
            (role,) = self.rng.choices(list(TARGETS), list(TARGETS.values()))
            self._signal(role, signal.SIGKILL, "killed")
        elif deed == "freeze":
            self._signal(roles.WORKER, signal.SIGSTOP, "frozen")
        else:
            self._strike(deed)
        self.rest(self.rng.uniform(*PACE_SECONDS))

    def rest(self, seconds: float) -> None:
        """Meanwhile what was killed outside its supervisor's reach starts again."""
        until = time.monotonic() + seconds
        while True:
            self.thaw(time.monotonic())
            for machine in self.machines:
                machine.ensure()
            left = until - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(left, 0.05))

    def thaw(self, now: float) -> None:
        """Those whose time has come."""
        for frozen in [frozen for frozen in self._frozen if frozen[0] <= now]:
            self._frozen.remove(frozen)
            _, machine, pid = frozen
            if any(seen.pid == pid and seen.is_stopped for seen in machine.processes()):
                machine.signal(pid, signal.SIGCONT)

    def end(self) -> None:
        self.thaw(float("inf"))
        for machine in self.machines:
            machine.ensure()

    def _signal(self, role: str, signum: signal.Signals, verb: str) -> None:
        """The choice is drawn whether or not there is somebody: the next ones don't shift."""
        machine, place = self.rng.choice(self.machines), self.rng.random()
        pids = [seen.pid for seen in machine.processes() if seen.role == role]
        if not pids:
            self._note(f"no {role} there", machine.name)
            return
        pid = pids[int(place * len(pids))]
        if machine.signal(pid, signum):
            self._note(f"{verb} {role}", f"{machine.name} {pid}")
        if signum == signal.SIGSTOP:
            thaw_at = time.monotonic() + FREEZE_LEASES * self.lease_seconds
            self._frozen.append((thaw_at, machine, pid))

    def _strike(self, deed: str) -> None:
        what, outage = self.database.strike(deed, self.rng)
        if outage is not None:
            self.outages.append(outage)
        for machine in self.machines:
            machine.story.blows.append(time.time())
        self._note(
            {"restart": "restarted PostgreSQL", "cut": "cut a connection"}.get(deed, deed), what
        )

    def _note(self, deed: str, detail: str) -> None:
        self.done[deed] += 1
        self.journal.append(f"{time.time():.3f} {deed}: {detail}")
