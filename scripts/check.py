"""`make test`: every stage runs, whatever fails before it; the end says how each one went.

`python -m scripts.check [STAGE…]`: a single stage prints as it goes, several keep their output in
test-results/logs/ and show it when they fail.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import IO

from scripts.system_packages import ensure_chromium, ensure_postgres, ensure_redis

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "test-results"
LOGS = RESULTS / "logs"
SCREENSHOTS = RESULTS / "browser"
CORES = max(2, os.cpu_count() or 1)
STAGE_LIMIT_SECONDS = 2400

PYTHON = (sys.executable,)
MANAGE = (*PYTHON, "manage.py")
PYTEST = (*PYTHON, "-m", "pytest")
PICTURES = ("--output", str(SCREENSHOTS), "--screenshot", "only-on-failure")


@dataclass(frozen=True, slots=True)
class Stage:
    name: str
    command: tuple[str, ...]
    cores: int = 1


# Chaos measures how soon work is done, so it runs alone. The slow type check runs beside the quick
# stages, the tests on SQLite take both cores. Kill tests mostly wait (for leases to run out), but
# what they wait for must have the room to happen: two of them take one core.
CHAOS = (*PYTHON, "-m", "tests.chaos", "--db")
STAGES = (
    Stage("chaos-sqlite", (*CHAOS, "sqlite"), cores=CORES),
    Stage("chaos-postgres", (*CHAOS, "postgres"), cores=CORES),
    Stage("types", (*PYTHON, "-m", "mypy", ".")),
    Stage("format", (*PYTHON, "-m", "ruff", "format", "--check", ".")),
    Stage("lint", (*PYTHON, "-m", "ruff", "check", ".")),
    Stage("imports", (str(Path(sys.executable).parent / "lint-imports"),)),
    Stage("checks", (*MANAGE, "check", "--fail-level", "WARNING")),
    Stage("migrations", (*MANAGE, "makemigrations", "--check", "--dry-run")),
    Stage("schema", (*MANAGE, "spectacular", "--validate", "--fail-on-warn", "--file=/dev/null")),
    Stage("sqlite", (*PYTEST, "-n2", "-m", "not browser and not fuzz and not processes"), cores=2),
    Stage("processes", (*PYTEST, "-n2", "-m", "processes")),
    Stage("postgres", (*PYTHON, "-m", "scripts.with_postgres", *PYTEST, "-m", "both")),
    Stage("fuzz", (*PYTEST, "-m", "fuzz", "-o", "faulthandler_timeout=0")),  # one long test
    Stage("browser", (*PYTEST, "-m", "browser", *PICTURES)),
)


@dataclass(slots=True)
class Run:
    """A stage under way, or finished."""

    stage: Stage
    process: subprocess.Popen[bytes]
    log: IO[str] | None  # kept open: another run in this tree may replace the file
    started: float = field(default_factory=time.monotonic)
    seconds: float = 0

    @property
    def passed(self) -> bool:
        return self.process.returncode == 0

    @property
    def output(self) -> str:
        if self.log is None:
            return ""
        self.log.seek(0)
        return self.log.read()

    def is_over(self) -> bool:
        self.seconds = time.monotonic() - self.started
        if self.seconds > STAGE_LIMIT_SECONDS and self.process.poll() is None:
            print(f"{self.stage.name} took more than {STAGE_LIMIT_SECONDS} s and is ended")
            self.end()
        return self.process.poll() is not None

    def end(self) -> None:
        """Ctrl-C for the whole group first: pytest then clears up what it started."""
        for signum, patience_seconds in ((signal.SIGINT, 15), (signal.SIGKILL, 5)):
            with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
                os.killpg(self.process.pid, signum)
                self.process.wait(patience_seconds)

    def closing_line(self) -> str:
        """pytest's last line, such as `=== 12 passed in 0.30s ===`; empty for other tools."""
        found = re.findall(r"^=+ .* in [0-9.]+s.* =+$", self.output, re.MULTILINE)
        return found[-1] if found else ""


def main(names: Sequence[str]) -> int:
    if unknown := set(names) - {stage.name for stage in STAGES}:
        raise SystemExit(f"Unknown stages: {', '.join(sorted(unknown))}")
    stages = [stage for stage in STAGES if not names or stage.name in names]
    os.chdir(ROOT)
    signal.signal(signal.SIGTERM, _end)
    prepare({stage.name for stage in stages})
    started = time.monotonic()
    with clean_environment() as environment:
        runs = list(run_all(stages, environment))
    if len(runs) > 1:
        report(runs, time.monotonic() - started)
    return 0 if all(run.passed for run in runs) else 1


def prepare(names: set[str]) -> None:
    if names & {"chaos-postgres", "fuzz", "postgres", "processes"}:
        ensure_postgres()
    if "processes" in names:
        ensure_redis()
    if "browser" in names:
        ensure_chromium()
        shutil.rmtree(SCREENSHOTS, ignore_errors=True)


@contextlib.contextmanager
def clean_environment() -> Iterator[dict[str, str]]:
    """Neither the developer's settings nor their ./var reach a check."""
    ours = ("GATEHOUSE_", "DATABASE_URL", "DJANGO_", "PYTEST_", "PORT", "HOST")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    with tempfile.TemporaryDirectory(prefix="gatehouse-check-") as home:
        yield {**kept, "GATEHOUSE_HOME": home}


def run_all(stages: Sequence[Stage], environment: dict[str, str]) -> Iterator[Run]:
    """Runs the stages in their order, as many at a time as there are cores for."""
    waiting, running = list(stages), list[Run]()
    live = len(stages) == 1
    try:
        while waiting or running:
            while waiting and may_start(waiting[0], running):
                running.append(start(waiting.pop(0), environment, live))
            for run in [run for run in running if run.is_over()]:
                running.remove(run)
                if not live:
                    show(run)
                yield run
            time.sleep(0.05)
    finally:
        for run in running:
            run.end()


def may_start(stage: Stage, running: Sequence[Run]) -> bool:
    return stage.cores <= CORES - sum(run.stage.cores for run in running)


def start(stage: Stage, environment: dict[str, str], live: bool) -> Run:
    log = None if live else open_log(stage.name)
    process = subprocess.Popen(
        stage.command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT if log else None,
        process_group=0,
    )
    return Run(stage, process, log)


def open_log(name: str) -> IO[str]:
    LOGS.mkdir(parents=True, exist_ok=True)
    path = LOGS / f"{name}.log"
    path.unlink(missing_ok=True)
    return path.open("w+", errors="replace")


def show(run: Run) -> None:
    if not run.passed:
        print(f"\n----- {run.stage.name} failed -----\n{run.output.rstrip()}\n")
    print(summary(run), flush=True)


def summary(run: Run) -> str:
    verdict = "ok    " if run.passed else "FAILED"
    return f"{verdict} {run.stage.name:<14} {run.seconds:6.1f} s  {run.closing_line().strip('= ')}"


def report(runs: Sequence[Run], seconds: float) -> None:
    failed = [run.stage.name for run in runs if not run.passed]
    print(f"\n{len(runs)} stages in {seconds:.0f} s")
    for line in filter(None, (run.closing_line() for run in runs)):
        print(line)
    if failed:
        print(f"FAILED: {', '.join(failed)} (whole output in {LOGS.relative_to(ROOT)}/)")


def _end(signum: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + signum)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
