"""`make run` says that its port is taken before it installs or migrates anything."""

import os
import socket
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def check(port: int) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HOST": "127.0.0.1", "PORT": str(port)}
    command = [sys.executable, "scripts/check_port"]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def test_a_taken_port_is_said_and_a_free_one_is_not() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        told = check(port)
    assert told.returncode == 1
    assert f"Can't listen on 127.0.0.1:{port}" in told.stderr
    assert "Set HOST and PORT" in told.stderr
    free = check(port)
    assert (free.returncode, free.stderr) == (0, "")


def test_it_comes_before_the_installation() -> None:
    steps = (ROOT / "scripts" / "make_venv").read_text()
    looked = steps.index('[ "$1" = run ] && "$(find_python)" scripts/check_port')
    assert steps.index("set -euo pipefail") < looked < steps.index("\nmake_environment\n")
