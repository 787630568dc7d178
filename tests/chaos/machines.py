"""Machines: sets of worker processes, each with a supervisor and a working folder of its own."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from tests.chaos.app import roles
from tests.chaos.app.job_handlers import STARTS
from tests.chaos.facts import MachineStory, Sight, Start
from tests.chaos.processes import Seen, descendants, is_whole, look

ROOT = Path(__file__).resolve().parent.parent.parent
COMMAND = [sys.executable, str(ROOT / "manage.py"), "serve", "--only", "worker", "--no-migrate"]
STOP_SECONDS = 40
FENCED_OFF = "somebody else has it, nothing was written"


class Machine:
    def __init__(
        self, name: str, home: Path, environment: Mapping[str, str], *, slots: int
    ) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self.story = MachineStory(name, slots)
        self._home = home
        self._environment = {
            **os.environ,
            **environment,
            "GATEHOUSE_HOME": str(home),
            "GATEHOUSE_JOB_WORKERS": str(slots),
            "PGAPPNAME": "",  # names the harness's own connections
        }
        self._process: subprocess.Popen[bytes] | None = None
        self._seen = set[int]()

    @property
    def name(self) -> str:
        return self.story.name

    @property
    def log(self) -> str:
        return (self._home / "log").read_text(errors="replace")

    def start(self) -> None:
        with (self._home / "log").open("ab") as output:
            # In the process group of the harness: whoever ends that one ends this one, too.
            self._process = subprocess.Popen(
                COMMAND,
                env=self._environment,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def ensure(self) -> None:
        """Start it again if its supervisor was killed."""
        if self._process is None or self._process.poll() is not None:
            self.start()

    def processes(self) -> list[Seen]:
        """All that live, the supervisor first."""
        if self._process is None or self._process.poll() is not None:
            return []
        return [
            Seen(self._process.pid, roles.SUPERVISOR, False),
            *descendants(self._process.pid),
        ]

    def look(self) -> Sight:
        processes = self.processes()[1:]
        workers = frozenset(seen.pid for seen in processes if seen.role == roles.WORKER)
        sight = Sight(time.time(), is_whole(processes, self.story.slots), workers)
        self._seen |= {seen.pid for seen in processes}
        self.story.sights.append(sight)
        return sight

    def signal(self, pid: int, signum: signal.Signals) -> bool:
        """False when it has ended on its own. Only ever one of this machine's processes."""
        self.story.blows.append(time.time())
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signum)
            return True
        return False

    def workers_since(self, at: float) -> frozenset[int]:
        return frozenset().union(*(s.workers for s in self.story.sights if s.at > at))

    def starts(self) -> list[Start]:
        """Of handlers, as their processes wrote them down."""
        file = self._home / STARTS
        lines = file.read_text().splitlines() if file.exists() else []
        words = (line.split() for line in lines)
        return [Start(job, int(number), int(pid)) for job, number, pid, _at in words]

    def fenced_off(self) -> int:
        """How many found that they had lost their job when they came to write its end."""
        return self.log.count(FENCED_OFF)

    def left_behind(self) -> list[int]:
        """Processes of this machine that are still there."""
        roles_of = {pid: look(pid) for pid in self._seen}
        return [pid for pid, seen in roles_of.items() if seen and seen.role in roles.ALL]

    def stop(self) -> int | None:
        """As an operator would; its exit code, None if it had to be killed."""
        if self._process is None:
            return 0
        self._process.terminate()
        try:
            return self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.end()
            return None

    def end(self) -> None:
        """At once; its processes end with their supervisor."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()
