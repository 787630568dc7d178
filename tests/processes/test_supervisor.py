"""The supervisor with real processes: what ends is started again, and nothing outlives it."""

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings

from tests.processes.harness import ROOT, Product
from tests.processes.trees import alive, listener, tree, wait_gone
from tests.processes.waiting import PATIENCE_SECONDS, until

# It must not fork with threads, which Python warns of.
COMMAND = [sys.executable, "-W", "error", "-m", "tests.processes.supervise"]


class Supervised:
    """A supervisor of `mains.py`; works in a folder of its own."""

    def __init__(self, folder: Path, *processes: str, grace_seconds: float = 60) -> None:
        self._log = folder / "log"
        with self._log.open("w") as output:
            self.process = subprocess.Popen(
                [*COMMAND, str(grace_seconds), *processes],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    @property
    def log(self) -> str:
        return self._log.read_text()

    def said(self, pattern: str) -> list[str]:
        return re.findall(pattern, self.log, re.MULTILINE)

    def ready(self, name: str, *, times: int = 1) -> int:
        """The process id of who said so last, once it was said so many times."""
        pids = until(lambda: (said := self.said(rf"^{name} (\d+)$"))[times - 1 :] and said)
        return int(pids[-1])

    def signal(self, signum: signal.Signals) -> None:
        self.process.send_signal(signum)

    def ends(self) -> int:
        """Its exit code; nothing that it started is left."""
        processes = tree(self.process.pid)
        code = self.process.wait(PATIENCE_SECONDS)
        wait_gone(processes)
        return code

    def stop(self) -> int:
        processes = tree(self.process.pid)
        self.signal(signal.SIGTERM)
        code = self.ends()
        assert alive(processes) == []
        return code


type Start = Callable[..., Supervised]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started: list[Supervised] = []

    def start(*processes: str, grace_seconds: float = 60) -> Supervised:
        started.append(Supervised(tmp_path, *processes, grace_seconds=grace_seconds))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.wait(PATIENCE_SECONDS)


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


# --- What ends is started again ---


def test_a_killed_child_comes_back_and_the_log_says_how_it_ended(start: Start) -> None:
    supervised = start("rest=mains.rest", "obey=mains.obey")
    obey, first = supervised.ready("obey"), supervised.ready("rest")
    kill(first)
    assert supervised.ready("rest", times=2) != first
    assert supervised.said(rf"^rest \({first}\) was ended by SIGKILL after .* again at once$")
    assert supervised.said(r"^obey (\d+)$") == [str(obey)]  # the other was left alone


def test_a_child_that_returns_is_started_again_too(start: Start) -> None:
    supervised = start("obey=mains.obey")
    first = supervised.ready("obey")
    os.kill(first, signal.SIGTERM)
    supervised.ready("obey", times=2)
    assert f"obey ({first}) ended with exit code 0 after" in supervised.log


def test_what_a_killed_child_had_started_is_gone(start: Start) -> None:
    supervised = start("family=mains.family")
    supervised.ready("descendant", times=2)
    first = supervised.ready("family")
    remnants = tree(first)
    assert len(remnants) == 2
    kill(first)
    wait_gone(remnants)
    supervised.ready("family", times=2)


def test_one_that_can_not_come_up_says_why_and_is_tried_less_and_less(start: Start) -> None:
    supervised = start("fail=mains.fail", "rest=mains.rest")
    again = r"^fail \(\d+\) ended with exit code 1 after .* it starts again (.*)$"
    delays = until(lambda: (said := supervised.said(again))[3:] and said)
    assert delays[:4] == ["at once", "in 0.5 s", "in 1.0 s", "in 2.0 s"]
    assert "RuntimeError: the port is taken" in supervised.log
    supervised.ready("rest")
    assert supervised.stop() == 0


def test_a_system_without_room_for_a_process_is_asked_again(start: Start) -> None:
    supervised = start("rest=scarce.rest")
    supervised.ready("rest")
    assert supervised.said(r"^rest can't be started; next try at once$")
    assert supervised.said(r"^rest can't be started; next try in 0.5 s$")
    assert "BlockingIOError: no room" in supervised.log
    assert supervised.stop() == 0


# --- A restart that is asked for ---


def test_a_child_may_ask_for_the_restart_of_another(start: Start) -> None:
    supervised = start("rest=mains.rest", "ask=mains.ask")
    first, asking = supervised.ready("rest"), supervised.ready("ask")
    os.kill(asking, signal.SIGUSR1)
    assert supervised.ready("rest", times=2) != first
    assert supervised.said(r"^rest is restarted: it does nothing$")
    assert supervised.ready("ask", times=2) == asking


def test_a_child_that_is_killed_while_it_asks_harms_nobody(start: Start) -> None:
    supervised = start("pester=mains.pester", "rest=mains.rest", "ask=mains.ask")
    for times in (1, 2, 3):
        kill(supervised.ready("pester", times=times))
    supervised.ready("rest")
    until(lambda: ask_again(supervised))
    assert supervised.said(r"^nobody does not run and can't be restarted: x+$")
    assert supervised.stop() == 0


def ask_again(supervised: Supervised) -> bool:
    """Its request may find no room among the others'; then it dies of that and comes back."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(supervised.ready("ask"), signal.SIGUSR1)
    return len(supervised.said(r"^rest \d+$")) > 1


# --- Nothing outlives it ---


def test_a_killed_supervisor_leaves_nobody_behind(start: Start) -> None:
    supervised = start("family=mains.family", "refuse=mains.refuse")
    supervised.ready("descendant", times=2)
    supervised.ready("family")
    supervised.ready("refuse")
    everybody = tree(supervised.process.pid)
    assert len(everybody) == 4
    supervised.process.kill()
    wait_gone(everybody)


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_all_are_told_to_end_at_once(start: Start, signum: signal.Signals) -> None:
    """Each of these two waits until the other one was told as well."""
    supervised = start("first=mains.first_of_two", "second=mains.second_of_two")
    supervised.ready("first")
    supervised.ready("second")
    supervised.signal(signum)
    assert supervised.ends() == 0
    assert f"{signum.name}: stopping" in supervised.log


def test_under_nohup_the_end_of_the_terminal_ends_nothing(start: Start) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as what it starts inherits
    try:
        supervised = start("obey=mains.obey")
    finally:
        signal.signal(signal.SIGHUP, before)
    obeying = supervised.ready("obey")
    supervised.signal(signal.SIGHUP)
    os.kill(obeying, signal.SIGHUP)
    assert supervised.stop() == 0
    assert "SIGHUP" not in supervised.log
    assert supervised.said(r"^obey (\d+)$") == [str(obeying)]


def test_only_children_are_told_and_what_they_leave_is_killed(start: Start) -> None:
    supervised = start("family=mains.family")
    supervised.ready("descendant", times=2)
    supervised.ready("family")
    assert supervised.stop() == 0
    assert "descendant was told" not in supervised.log


def test_who_does_not_end_in_time_is_killed(start: Start) -> None:
    supervised = start("refuse=mains.refuse", "obey=mains.obey", grace_seconds=0.5)
    supervised.ready("obey")
    refusing = supervised.ready("refuse")
    assert supervised.stop() == 1
    assert f"refuse ({refusing}) does not end and is killed" in supervised.log
    assert supervised.said(r"^obey \(\d+\) ended with exit code 0$")


def test_a_second_signal_kills_at_once(start: Start) -> None:
    supervised = start("refuse=mains.refuse")
    supervised.ready("refuse")

    def ended() -> bool:
        supervised.signal(signal.SIGINT)
        return supervised.process.poll() is not None

    until(ended)  # long before the grace is over
    assert supervised.ends() == 1


def test_a_signal_that_comes_twice_at_once_is_one(start: Start) -> None:
    """As from `make`, whose whole group got it."""
    supervised = start("dally=mains.dally")
    supervised.ready("dally")
    supervised.signal(signal.SIGTERM)
    supervised.signal(signal.SIGTERM)
    assert supervised.ends() == 0
    supervised.ready("dallied")


def test_one_that_waits_for_its_next_start_holds_up_no_stop(start: Start) -> None:
    supervised = start("fail=mains.fail")
    until(lambda: "it starts again in 2.0 s" in supervised.log)
    assert supervised.stop() == 0


# --- The product ---


def test_its_supervisor_holds_nothing_and_ends_all_of_it(product: Product) -> None:
    server = product.start(only="")
    processes = tree(server.process.pid)
    supervisor = processes[0].parent()
    assert supervisor.num_threads() == 1
    assert supervisor.net_connections("inet") == []  # to PostgreSQL
    assert not [file for file in supervisor.open_files() if file.path.endswith(".sqlite3")]
    server.stop()
    assert server.process.returncode == 0
    assert alive(processes) == []


def test_its_web_process_comes_back_and_goes_with_its_supervisor(product: Product) -> None:
    server = product.start(only="")
    web = listener(tree(server.process.pid), server.port)
    web.kill()
    wait_gone([web])
    server.wait_ready()
    # The worker has processes of its own, which the supervisor does not know.
    until(lambda: len(tree(server.process.pid)) > len(settings.PROCESSES))
    processes = tree(server.process.pid)
    server.kill()
    assert alive(processes) == []
