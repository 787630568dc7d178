"""`make bench-startup`: how long a second `make run` takes to be ready, and what it then holds.

Each round starts the product as a user does, beside the interpreter importing Django alone, so that
a slow moment of the machine shows in both. Prints medians, their ratio and the limits.
"""

import os
import platform
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 5
READY_LIMIT_SECONDS, MEMORY_LIMIT_MB = 5.0, 150.0
PORT = 8791


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "GATEHOUSE_HOME": home, "PORT": str(PORT)}
        start_and_stop(environment)  # the first run makes the database
        rounds = [(start_and_stop(environment), django_alone()) for _ in range(ROUNDS)]
    ready = statistics.median(seconds for (seconds, _mb), _django in rounds)
    memory = statistics.median(mb for (_seconds, mb), _django in rounds)
    django = statistics.median(seconds for _start, seconds in rounds)
    today = datetime.now(UTC).date()
    print(f"{today}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"second `make run` ready: {ready:.2f} s (limit {READY_LIMIT_SECONDS:.0f} s)")
    print(f"  against `import django` and setup alone ({django:.2f} s): {ready / django:.1f} x")
    print(f"web process before any model call: {memory:.0f} MB (limit {MEMORY_LIMIT_MB:.0f} MB)")
    sys.exit(0 if ready < READY_LIMIT_SECONDS and memory < MEMORY_LIMIT_MB else 1)


def start_and_stop(environment: dict[str, str]) -> tuple[float, float]:
    """Seconds until /readyz answers 200, and the resident megabytes of the process then."""
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
        wait_ready(started + 120)
        return time.monotonic() - started, resident_mb(process.pid)
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(20)


def wait_ready(deadline: float) -> None:
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/readyz", timeout=5):
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.02)
    raise SystemExit("the product did not become ready")


def resident_mb(root: int) -> float:
    """Of the largest process of the group: the web process itself."""
    listed = subprocess.run(
        ["ps", "-o", "rss=", "-g", str(os.getpgid(root))],
        capture_output=True,
        text=True,
        check=True,
    )
    return max(int(line) for line in listed.stdout.split()) / 1024


def django_alone() -> float:
    started = time.monotonic()
    code = "import django; from django.conf import settings; settings.configure(); django.setup()"
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.monotonic() - started


if __name__ == "__main__":
    main()
