"""What befalls the machines: each choice comes from one random number generator."""

import random
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from django.db import connection

from jobs.enums import JobStatus
from jobs.models import Job
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
WORDS = {
    "restart": "restarted PostgreSQL",
    "cut": "cut a connection",
    "hold": "kept SQLite locked",
}
ABOVE_WORKERS = (roles.SENTINEL, roles.CLUSTER, roles.SUPERVISOR)
PACE_SECONDS = (0.15, 0.4)
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
        """Somebody else writes, and takes a while; but not after a frozen worker who writes."""
        seconds = round(rng.uniform(0.5, 1), 2)
        with closing(sqlite3.connect(self._file, isolation_level=None, timeout=1)) as foreign:
            try:
                foreign.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return "no chance to lock SQLite", None
            began = time.time()
            time.sleep(seconds)
            foreign.execute("ROLLBACK")
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
            self._kill()
        elif deed == "freeze":
            self._freeze()
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

    def _kill(self) -> None:
        (role,) = self.rng.choices(list(TARGETS), list(TARGETS.values()))
        machine, pid = self._choose(role)
        if self._holds_frozen(machine, role, pid):
            self._note("let a frozen one thaw", f"{machine.name} {role}")
        elif pid and machine.signal(pid, signal.SIGKILL):
            self._note(f"killed {role}", f"{machine.name} {pid}")
        else:
            self._note(f"no {role} there", machine.name)

    def _holds_frozen(self, machine: Machine, role: str, pid: int) -> bool:
        """Its death would be the end of a frozen worker, whose thaw is to be seen."""
        frozen = {of for _, where, of in self._frozen if where is machine}
        return pid in frozen or bool(frozen and role in ABOVE_WORKERS)

    def _freeze(self) -> None:
        """Long enough for its lease to run out: when it thaws, its job is somebody else's."""
        machine, pid = self._choose(roles.WORKER, busy_pids())
        if pid and machine.signal(pid, signal.SIGSTOP):
            thaw_at = time.monotonic() + FREEZE_LEASES * self.lease_seconds
            self._frozen.append((thaw_at, machine, pid))
            self._note("frozen worker", f"{machine.name} {pid}")

    def _choose(self, role: str, rather: Collection[int] = ()) -> tuple[Machine, int]:
        """One of them, if there is any. Drawn in any case: the choices after it don't shift."""
        machine, place = self.rng.choice(self.machines), self.rng.random()
        pids = [seen.pid for seen in machine.processes() if seen.role == role]
        pids = [pid for pid in pids if pid in rather] or pids
        return machine, pids[int(place * len(pids))] if pids else 0

    def _strike(self, deed: str) -> None:
        what, outage = self.database.strike(deed, self.rng)
        if outage is not None:
            self.outages.append(outage)
        for machine in self.machines:
            machine.story.blows.append(time.time())
        self._note(WORDS[deed], what)

    def _note(self, deed: str, detail: str) -> None:
        self.done[deed] += 1
        self.journal.append(f"{time.time():.3f} {deed}: {detail}")


def busy_pids() -> set[int]:
    """The workers that are in the midst of a handler."""
    running = Job.objects.filter(status=JobStatus.RUNNING, started_at__isnull=False)
    return {int(owner.split(":")[-2]) for owner in running.values_list("lease_owner", flat=True)}
