"""A web process to measure: real uvicorn, real HTTP, a model that answers by itself."""

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.processes.harness import free_port

ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def web_process(environment: Mapping[str, str]) -> Iterator[str]:
    """Its URL. The database has to be migrated already."""
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "bench.asgi:application", "--port", str(port)]
    process = subprocess.Popen(
        [*command, "--log-level", "warning", "--lifespan", "on", "--no-server-header"],
        cwd=ROOT,
        env={**os.environ, **environment, "PORT": str(port)},
    )
    try:
        url = f"http://127.0.0.1:{port}"
        wait_ready(url, time.monotonic() + 60)
        yield url
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)


def wait_ready(url: str, deadline: float) -> None:
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{url}/readyz", timeout=5):
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.02)
    raise SystemExit("the product did not become ready")
