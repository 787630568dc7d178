"""The real product as processes: start several on one database, kill them, start them again.

A test works on the product's own database: the fixture `product` points Django's default
connection there, so models, factories and services do what they do in any other test.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dj_database_url
import httpx
from django.conf import settings
from django.db import connections

from tests.processes.trees import tree, wait_gone

ROOT = Path(__file__).resolve().parent.parent.parent
MANAGE = [sys.executable, str(ROOT / "manage.py")]
READY_SECONDS = 180
END_SECONDS = 60


class Server:
    """What `serve` runs: one web process, or a supervisor with all of them."""

    def __init__(self, environment: dict[str, str], log: Path, *options: str) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._log = log
        self._clients: list[httpx.Client] = []
        with log.open("w") as output:
            # Same process group as the tests: whoever ends them ends the servers too.
            self.process = subprocess.Popen(
                [*MANAGE, "serve", *options],
                env={**environment, "PORT": str(self.port)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    def wait_ready(self) -> None:
        """Until it can serve; raises with its log if it ends before."""
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            if not self.is_running:
                break
            if self._is_ready():
                return
            time.sleep(0.05)
        raise AssertionError(f"The server is not ready:\n{self._log.read_text()}")

    def _is_ready(self) -> bool:
        try:
            return httpx.get(f"{self.url}/readyz", timeout=5).status_code == 200
        except httpx.TransportError:
            return False

    def wait_killed(self) -> None:
        """Until a fault point has killed it."""
        code = self.process.wait(READY_SECONDS)
        assert code == -signal.SIGKILL, f"ended with {code}:\n{self._log.read_text()}"

    def kill(self) -> None:
        """As a power cut for this process and its children: none of them runs any more."""
        children = tree(self.process.pid)
        self.process.kill()
        self.process.wait(END_SECONDS)
        wait_gone(children)

    def stop(self) -> None:
        """As an operator would; raises if it does not end in good time."""
        self.process.terminate()
        self.process.wait(END_SECONDS)

    def client(self, token: str = "", **options: Any) -> httpx.Client:
        """Closed with the product."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        client = httpx.Client(base_url=self.url, headers=headers, timeout=120, **options)
        self._clients.append(client)
        return client

    def end(self) -> None:
        for client in self._clients:
            client.close()
        if self.is_running:
            self.kill()


@dataclass(slots=True)
class Product:
    """One database and one GATEHOUSE_HOME, with any number of servers on them."""

    home: Path
    database_url: str = ""  # empty: SQLite in `home`
    extra: dict[str, str] = field(default_factory=dict)  # environment of every server
    migrated: bool = False  # spares each server the look
    servers: list[Server] = field(default_factory=list)

    def environment(self) -> dict[str, str]:
        """Keys are the tests' own, so that both sides read each other's sessions and hashes."""
        ours = {
            "GATEHOUSE_HOME": str(self.home),
            "GATEHOUSE_SECRET_KEY": settings.SECRET_KEY,
            "GATEHOUSE_AUDIT_KEY": settings.AUDIT_KEY,
            "GATEHOUSE_SECRETS_KEY": ",".join(settings.SECRETS_KEYS),
            "GATEHOUSE_FAULTS_DIR": str(self.home / "faults"),
        }
        if self.database_url:
            ours["DATABASE_URL"] = self.database_url
        inherited = {name: text for name, text in os.environ.items() if name != "DATABASE_URL"}
        return {**inherited, **ours, **self.extra}

    def start(self, *, faults: Sequence[str] = (), only: str = "web", **extra: str) -> Server:
        """One more server, ready. It kills itself once at each of these fault points.

        With `only` empty a supervisor and all processes.
        """
        (self.home / "faults").mkdir(parents=True, exist_ok=True)
        environment = {**self.environment(), **extra, "GATEHOUSE_FAULTS": ",".join(faults)}
        log = self.home / f"server-{len(self.servers) + 1}.log"
        options = ["--no-migrate"] if self.migrated else []
        server = Server(environment, log, *options, *(["--only", only] if only else []))
        self.servers.append(server)
        server.wait_ready()
        return server

    def manage(self, *arguments: str) -> str:
        """What `manage.py` says; raises with its errors if it fails."""
        command = [*MANAGE, *arguments]
        done = subprocess.run(
            command, env=self.environment(), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def fired(self) -> set[str]:
        """The fault points that have killed a server."""
        return {marker.name for marker in (self.home / "faults").glob("*")}

    def demo(self, name: str) -> dict[str, str]:
        """`password` and `token` of a demo user."""
        people: dict[str, dict[str, str]] = json.loads((self.home / "demo.json").read_text())
        return people[name]

    def end(self) -> None:
        for server in self.servers:
            server.end()

    def database(self) -> dict[str, Any]:
        """Django's settings for the product's database, without the pool of a web process."""
        if self.database_url:
            return dict(dj_database_url.parse(self.database_url))
        sqlite = dict(settings.DATABASES["default"])
        return {**sqlite, "NAME": str(self.home / "gatehouse.sqlite3")}


@contextmanager
def default_database(database: dict[str, Any]) -> Iterator[None]:
    """Django's default connection, in every thread, is this database for a while."""
    before = connections.settings["default"]
    connections["default"].close()
    del connections["default"]
    connections.settings["default"] = connections.configure_settings({"default": database})[
        "default"
    ]
    try:
        yield
    finally:
        connections["default"].close()
        del connections["default"]
        connections.settings["default"] = before


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
