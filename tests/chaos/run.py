"""One run: machines and a producer, trouble for a while, quiet until all is done, the verdicts."""

import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from django.core.management import call_command
from django.db import InterfaceError, OperationalError, connection

from agents.models import Agent, Conversation
from config.base.models import User
from jobs.enums import FINISHED
from jobs.processes.database import keep_one_connection
from jobs.services import enqueue
from scripts.with_postgres import Postgres
from tests.chaos import report
from tests.chaos.invariants import ENOUGH_KILLS, ENOUGH_SECONDS, Verdict, check, unshown
from tests.chaos.machines import ROOT, Machine
from tests.chaos.producer import LEDGER
from tests.chaos.reading import claims_since, ours, read_facts
from tests.chaos.service import BACK_SECONDS
from tests.chaos.tables import database_time, make_tables
from tests.chaos.trouble import PostgresTrouble, SqliteTrouble, Trouble

CONVERSATIONS = 8
PRODUCER_LOG = "producer.log"
LOOK_SECONDS = 0.15
READY_SECONDS = 60
PROBE_SECONDS = 0.3
IDLE_SECONDS = 120
PATIENCE_SECONDS = 60  # without the database, or without anybody to kill
LEASE_SECONDS = 2.0
CLOCK_SECONDS = 90


class Run:
    def __init__(self, db: str, home: Path, server: Postgres | None, seed: int) -> None:
        self._db, self._home, self._seed = db, home, seed
        rng = random.Random(seed)
        self._machines = self._make_machines(rng)
        particular = (
            PostgresTrouble(server) if server else SqliteTrouble(home / "gatehouse.sqlite3")
        )
        self._trouble = Trouble(rng, self._machines, particular, LEASE_SECONDS)

    def all(self, *, seconds: float, kills: int) -> int:
        """The exit code."""
        print(f"seed {self._seed}, {self._db}, {seconds:g} s, at least {kills} kills", flush=True)
        keep_one_connection()
        self._make_world()
        with ExitStack() as stack:
            stack.callback(self._end_machines)
            self._start_machines()
            stop_looking = self._start_looking()
            stack.callback(stop_looking)
            with _producer(self._seed, self._home / LEDGER):
                self._make_trouble(seconds, kills)
            print("quiet", flush=True)
            self._prove_service(_patiently(database_time))
            is_idle = until(self._is_idle, IDLE_SECONDS)
            stop_looking()
            ends = [machine.stop() for machine in self._machines]
        is_short = seconds < ENOUGH_SECONDS and kills < ENOUGH_KILLS
        return self._judge(is_idle, ends, is_short)

    def _make_machines(self, rng: random.Random) -> list[Machine]:
        """SQLite has one machine; its clock is wrong, as the second one's is on PostgreSQL."""
        wrong = {"CHAOS_CLOCK_SECONDS": str(rng.choice([-CLOCK_SECONDS, CLOCK_SECONDS]))}
        if self._db == "sqlite":
            return [Machine("one", self._home, wrong, slots=3)]
        return [
            Machine("one", self._home / "one", {}, slots=2),
            Machine("two", self._home / "two", wrong, slots=2),
        ]

    def _make_world(self) -> None:
        call_command("migrate", verbosity=0)
        make_tables()
        alice = User.objects.create(username="alice")
        agent = Agent.objects.create(slug="chaos", name="Chaos")
        for _ in range(CONVERSATIONS):
            Conversation.objects.create(owner=alice, agent=agent)

    def _start_machines(self) -> None:
        for machine in self._machines:
            machine.start()
        if not until(lambda: all(m.look().is_whole for m in self._machines), READY_SECONDS):
            raise SystemExit("\n".join(machine.log for machine in self._machines))

    def _start_looking(self) -> Callable[[], None]:
        done = threading.Event()

        def look() -> None:
            while not done.wait(LOOK_SECONDS):
                for machine in self._machines:
                    machine.look()

        thread = threading.Thread(target=look, daemon=True)
        thread.start()

        def stop() -> None:
            done.set()
            thread.join()

        return stop

    def _make_trouble(self, seconds: float, kills: int) -> None:
        killed, killed_at = 0, time.monotonic()
        ends_at = killed_at + seconds
        while time.monotonic() < ends_at or killed < kills:
            _patiently(self._trouble.next)
            if self._trouble.kills > killed:
                killed, killed_at = self._trouble.kills, time.monotonic()
            elif time.monotonic() - killed_at > PATIENCE_SECONDS:
                raise SystemExit(f"nobody was there to be killed for {PATIENCE_SECONDS} s")
        self._trouble.end()

    def _prove_service(self, since: float) -> None:
        """Each machine must claim something after the last blow."""

        def served() -> bool:
            pids = _patiently(lambda: claims_since(since))
            for machine in self._machines:
                machine.story.served_at_end = bool(machine.workers_since(since) & pids)
            if all(machine.story.served_at_end for machine in self._machines):
                return True
            _patiently(self._enqueue_probe)
            return False

        until(served, BACK_SECONDS)

    def _enqueue_probe(self) -> None:
        """Slow enough that one machine alone does not take them all."""
        conversation = Conversation.objects.values_list("pk", flat=True)[0]
        payload = {
            "conversation": str(conversation),
            "permit": "everybody",
            "seconds": PROBE_SECONDS,
        }
        enqueue("chaos.message", payload, actor=None)

    def _is_idle(self) -> bool:
        return not _patiently(ours().exclude(status__in=FINISHED).exists)

    def _end_machines(self) -> None:
        for machine in self._machines:
            machine.end()

    def _judge(self, is_idle: bool, ends: list[int | None], is_short: bool) -> int:
        facts = read_facts(self._home, self._machines, self._trouble.outages)
        verdicts = check(facts)
        result = report.summary(facts, verdicts, self._trouble.kills)
        report.show_deeds(self._trouble.done)
        report.show_jobs(facts, sum(machine.fenced_off() for machine in self._machines))
        report.show_verdicts(verdicts)
        failures = [*self._failures(is_idle, ends), *self._unshown(verdicts, is_short)]
        for failure in failures:
            print(f"FAILED: {failure}")
        is_good = not (failures or result["lost"] or result["doubled"] or result["violations"])
        if not is_good:
            self._explain()
        report.show_end({**result, "db": self._db, "seed": self._seed})
        return 0 if is_good else 1

    def _failures(self, is_idle: bool, ends: list[int | None]) -> Iterator[str]:
        if not is_idle:
            yield f"not idle {IDLE_SECONDS} s after the end of all trouble"
        if any(end != 0 for end in ends):
            yield f"machines ended with {ends}, not with 0"
        left = [seen for machine in self._machines for seen in machine.left_behind()]
        if left:
            yield f"processes were left behind: {left}"

    def _unshown(self, verdicts: list[Verdict], is_short: bool) -> list[str]:
        """No failures in a run that was asked to be too short to see everything."""
        missing = unshown(verdicts, self._trouble.kills)
        if is_short and missing:
            print(f"too short a run to show all: {'; '.join(missing)}")
        return [] if is_short else missing

    def _explain(self) -> None:
        """What a failing run leaves behind: its logs, and how to have it again."""
        kept = Path(tempfile.mkdtemp(prefix="gatehouse-chaos-failed-"))
        for machine in self._machines:
            (kept / f"{machine.name}.log").write_text(machine.log)
        shutil.copy(self._home / PRODUCER_LOG, kept)
        (kept / "journal").write_text("\n".join(self._trouble.journal) + "\n")
        print(f"\nlogs and journal: {kept}")
        print(f"again: make chaos DB={self._db} SEED={self._seed}")


def until(look: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if look():
            return True
        time.sleep(0.1)
    return False


def _patiently[T](act: Callable[[], T]) -> T:
    """The harness, too, finds its connection cut and the database away; but not for ever."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return act()
        except (OperationalError, InterfaceError):
            if time.monotonic() > deadline:
                raise
            connection.close()
            time.sleep(0.1)


@contextmanager
def _producer(seed: int, ledger: Path) -> Iterator[None]:
    """At work from the first; ends well, with all that it had still to do, or the run fails."""
    command = [sys.executable, "-m", "tests.chaos.producer", str(seed)]
    with (ledger.parent / PRODUCER_LOG).open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stderr=log)
    try:
        if not until(lambda: ledger.exists() and ledger.stat().st_size > 0, READY_SECONDS):
            raise SystemExit((ledger.parent / PRODUCER_LOG).read_text())
        yield
        process.terminate()
        if process.wait(IDLE_SECONDS):
            raise SystemExit((ledger.parent / PRODUCER_LOG).read_text())
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
