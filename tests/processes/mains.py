"""What the supervisor of a test runs. Each says `NAME PID` once it can be disturbed."""

import contextlib
import os
import signal
import time
from pathlib import Path

from config.base.processes.requests import request_restart


def say(name: str) -> None:
    print(name, os.getpid(), flush=True)


def wait_for(signum: signal.Signals, name: str) -> None:
    """Says that it is ready once the signal can't be lost any more."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signum})
    say(name)
    signal.sigwait({signum})


def rest() -> None:
    """Ends of SIGTERM at once, as by default."""
    say("rest")
    while True:
        signal.pause()


def obey() -> None:
    """Returns when it is told to end."""
    wait_for(signal.SIGTERM, "obey")


def dally() -> None:
    """Takes its time to end, and says so at the end."""
    wait_for(signal.SIGTERM, "dally")
    time.sleep(0.5)
    say("dallied")


def refuse() -> None:
    """Does not end before it is killed."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    say("refuse")
    while True:
        signal.pause()


def fail() -> None:
    raise RuntimeError("the port is taken")


def first_of_two() -> None:
    _end_together("first", "second")


def second_of_two() -> None:
    _end_together("second", "first")


def _end_together(name: str, other: str) -> None:
    """Ends only once the other one has been told to end, too."""
    wait_for(signal.SIGTERM, name)
    Path(name).touch()
    while not Path(other).exists():
        time.sleep(0.01)


def family() -> None:
    """Leaves a child and a grandchild behind, who would speak if they were told to end."""
    if os.fork() == 0:
        os.fork()
        wait_for(signal.SIGTERM, "descendant")
        say("descendant was told to end")
        return
    wait_for(signal.SIGTERM, "family")


def ask() -> None:
    """Has `rest` restarted with each SIGUSR1."""
    while True:
        wait_for(signal.SIGUSR1, "ask")
        request_restart("rest", "it does nothing")


def pester() -> None:
    """Asks without end for what there is not."""
    say("pester")
    while True:
        with contextlib.suppress(BlockingIOError):
            request_restart("nobody", "x" * 10_000)
