"""`make bench-startup`: how long a second `make run` takes to be ready, and what it then holds.

Each round starts the product as a user does, beside the interpreter importing Django alone, so that
a slow moment of the machine shows in both.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.figures import Figure, median, report
from bench.server import wait_ready
from tests.processes.trees import listener, tree

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 5
READY_LIMIT_SECONDS, MEMORY_LIMIT_MB = 5.0, 150.0
PORT = 8791


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "GATEHOUSE_HOME": home, "PORT": str(PORT)}
        start_and_stop(environment)  # the first run makes the database
        rounds = [(start_and_stop(environment), django_alone()) for _ in range(ROUNDS)]
    ready = median([seconds for (seconds, _mb), _django in rounds])
    memory = median([mb for (_seconds, mb), _django in rounds])
    django = median([seconds for _start, seconds in rounds])
    report(
        "bench-startup",
        [
            Figure("ready_s", "second `make run` ready", ready, "s", READY_LIMIT_SECONDS),
            Figure("django_s", "  `import django` and setup alone", django, "s"),
            Figure("memory_mb", "web process before any model", memory, "MB", MEMORY_LIMIT_MB),
        ],
    )


def start_and_stop(environment: dict[str, str]) -> tuple[float, float]:
    """Seconds until /readyz answers 200, and the resident megabytes of the web process then."""
    started = time.monotonic()
    process = subprocess.Popen(
        ["make", "--no-print-directory", "run"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        wait_ready(f"http://127.0.0.1:{PORT}", started + 120)
        ready_seconds = time.monotonic() - started
        web = listener(tree(process.pid), PORT)
        return ready_seconds, web.memory_info().rss / 2**20
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(20)


def django_alone() -> float:
    started = time.monotonic()
    code = "import django; from django.conf import settings; settings.configure(); django.setup()"
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.monotonic() - started


if __name__ == "__main__":
    main()
