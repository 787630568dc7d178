"""A fault point kills the process where a test asks for it, once, and does nothing otherwise."""

import os
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = """
from config.base.faults import fault_point
for name in ("one", "two"):
    fault_point(name)
    print(name, flush=True)
"""


def run(**variables: str) -> tuple[int, str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GATEHOUSE_FAULTS")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        env={**environment, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, "".join(done.stdout.split())


def test_nothing_happens_unless_it_is_armed(tmp_path: Path) -> None:
    assert run() == (0, "onetwo")
    assert run(GATEHOUSE_FAULTS="two") == (0, "onetwo")
    assert run(GATEHOUSE_FAULTS_DIR=str(tmp_path)) == (0, "onetwo")
    armed = {"GATEHOUSE_FAULTS_DIR": str(tmp_path)}
    assert run(GATEHOUSE_FAULTS="tw,three", **armed) == (0, "onetwo")
    assert list(tmp_path.iterdir()) == []


def test_it_kills_there_once_and_the_next_process_goes_on(tmp_path: Path) -> None:
    armed = {"GATEHOUSE_FAULTS": "zero,two", "GATEHOUSE_FAULTS_DIR": str(tmp_path)}
    assert run(**armed) == (-signal.SIGKILL, "one")
    assert [path.name for path in tmp_path.iterdir()] == ["two"]
    assert run(**armed) == (0, "onetwo")
