"""One child of the supervisor: a process group of its own, begun by a fork."""

import contextlib
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass

QUICK_DEATH_SECONDS = 10.0
SHORTEST_DELAY_SECONDS, LONGEST_DELAY_SECONDS = 0.5, 10.0

type Main = Callable[[], None]


def restart_delay(deaths: int) -> float:
    """Seconds to wait after so many deaths of which each but the first was quick."""
    if deaths <= 1:
        return 0.0
    doublings = min(deaths - 2, 10)  # far beyond the longest delay, and no huge number
    return min(SHORTEST_DELAY_SECONDS * 2.0**doublings, LONGEST_DELAY_SECONDS)


def describe_end(status: int) -> str:
    """From what `os.waitpid` says."""
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"ended with exit code {code}"
    known = -code in set(signal.Signals)
    return f"was ended by {signal.Signals(-code).name if known else f'signal {-code}'}"


@dataclass(slots=True)
class Child:
    name: str
    main: Main
    pid: int = 0  # 0: it does not run
    started_at: float = 0.0
    starts_at: float = 0.0  # not sooner, when it does not run
    deaths: int = 0  # of which each but the first was quick; a start that fails is one

    def fork(self, now: float) -> bool:
        """True in the child, which leads a group of its own; False in the supervisor.

        Raises `OSError` if the system has no room for one more.
        """
        pid = os.fork()
        # Both say it: the supervisor may kill the group, and the child fork, before the other runs.
        with contextlib.suppress(PermissionError, ProcessLookupError):
            os.setpgid(pid, pid)
        if pid == 0:
            return True
        self.pid, self.started_at = pid, now
        return False

    def bury(self, now: float) -> None:
        """It has ended: what it leaves behind is killed, and its next start is set."""
        self.kill_group()
        self.pid = 0
        if now - self.started_at >= QUICK_DEATH_SECONDS:
            self.deaths = 0
        self.put_off(now)

    def put_off(self, now: float) -> None:
        self.deaths += 1
        self.starts_at = now + restart_delay(self.deaths)

    def terminate(self) -> None:
        """It alone: a main knows how its own children end well."""
        os.kill(self.pid, signal.SIGTERM)

    def kill_group(self) -> None:
        with contextlib.suppress(PermissionError, ProcessLookupError):  # nobody is left
            os.killpg(self.pid, signal.SIGKILL)
