"""The command behind `make chaos`: it finds a bug that is there, and leaves nobody behind."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.processes.harness import ROOT
from tests.processes.trees import tree, wait_gone
from tests.processes.waiting import until

COMMAND = [sys.executable, "-m", "tests.chaos", "--db", "sqlite", "--seed", "1"]
RUN_SECONDS = 300


def start(log: Path, *options: str, **extra: str) -> "subprocess.Popen[bytes]":
    with log.open("wb") as output:
        return subprocess.Popen(
            [*COMMAND, *options],
            cwd=ROOT,
            env={**os.environ, **extra},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )


def test_it_finds_workers_who_ask_for_no_permission(tmp_path: Path) -> None:
    log = tmp_path / "log"
    # A failed run keeps its logs, here where they are thrown away.
    options = {"CHAOS_SABOTAGE": "ask-nobody", "TMPDIR": str(tmp_path)}
    process = start(log, "--seconds", "20", **options)
    assert process.wait(RUN_SECONDS) == 1, log.read_text()
    said = log.read_text()
    assert "VIOLATION of 9" in said
    assert "again: make chaos DB=sqlite SEED=1" in said
    result = json.loads(said.splitlines()[-1])
    assert (result["doubled"], result["seed"]) == (0, 1)
    assert result["violations"] > 0


def test_it_leaves_nobody_behind_when_it_is_interrupted(tmp_path: Path) -> None:
    log = tmp_path / "log"
    process = start(log, "--seconds", "600", TMPDIR=str(tmp_path))
    until(lambda: len(tree(process.pid)) >= 10, seconds=RUN_SECONDS)  # a machine, the producer
    processes = tree(process.pid)
    process.send_signal(signal.SIGINT)
    assert process.wait(RUN_SECONDS) != 0
    wait_gone(processes)
    assert [path.name for path in tmp_path.iterdir()] == ["log"]
