"""The worker processes of one system: started, held back while a backlog is made, ended."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil  # type: ignore[import-untyped]  # no stubs are installed for it

from bench.server import ROOT

END_SECONDS = 5


class Workers:
    def __init__(self, commands: Sequence[list[str]], log: Path) -> None:
        self.log = log
        with log.open("a") as output:
            self._programs = [
                psutil.Popen(
                    command,
                    cwd=ROOT,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                )
                for command in commands
            ]

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Parents stop first, so that nobody is forked meanwhile, and go on last."""
        stopped = self._all()
        try:
            for process in stopped:
                process.send_signal(signal.SIGSTOP)
            yield
        finally:  # one that is stopped would not even hear that it is to end
            for process in reversed(stopped):
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.send_signal(signal.SIGCONT)

    def check(self) -> None:
        """Raises when one of the programs has ended."""
        if any(program.poll() is not None for program in self._programs):
            raise SystemExit(f"workers have ended:\n{self.log.read_text()[-4000:]}")

    def end(self) -> None:
        left = self._all()
        for program in self._programs:
            program.send_signal(signal.SIGTERM)
        _gone, left = psutil.wait_procs(left, timeout=END_SECONDS)
        for process in left:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(left, timeout=END_SECONDS)

    def _all(self) -> list[psutil.Process]:
        """Each before its children."""
        found = []
        for program in self._programs:
            with contextlib.suppress(psutil.NoSuchProcess):
                found += [program, *program.children(recursive=True)]
        return found


def python_environment(**changes: str) -> dict[str, str]:
    """Of ours, without a developer's own settings."""
    foreign = ("GATEHOUSE_", "DJANGO_", "PORT", "HOST", "DATABASE_URL")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    return {**kept, **changes}
