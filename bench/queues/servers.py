"""Where queues live: fresh databases on one PostgreSQL, a throw-away Redis, folders for SQLite."""

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import redis
from psycopg import sql

from tests.processes.harness import free_port

START_SECONDS = 20
PROBES = 200


@contextmanager
def throwaway_redis() -> Iterator[str]:
    """The URL of an empty one that keeps nothing on the disk."""
    program = shutil.which("redis-server")
    if program is None:
        raise SystemExit("redis-server is missing (on Debian: apt-get install redis-server)")
    port = free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    process = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)
    try:
        _wait_listening(port)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait(START_SECONDS)


def empty_redis(url: str) -> None:
    with redis.Redis.from_url(url) as client:
        client.flushall()


class Databases:
    """Copies of one that is migrated and peopled."""

    TEMPLATE = "bench_template"

    def __init__(self, server: str) -> None:
        self._server = server
        self.create(self.TEMPLATE, "template1")

    @property
    def template(self) -> str:
        return self._url(self.TEMPLATE)

    @contextmanager
    def fresh(self, name: str) -> Iterator[str]:
        self.create(name)
        try:
            yield self._url(name)
        finally:
            self._run(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))

    def probe_commit_ms(self) -> float:
        """The median of commits of one row: how fast the machine and its disk are just now."""
        with psycopg.connect(self._server, autocommit=True) as connection:
            connection.execute("CREATE TABLE IF NOT EXISTS probe (at timestamptz)")
            taken = []
            for _ in range(PROBES):
                began = time.perf_counter()
                connection.execute("INSERT INTO probe VALUES (now())")
                taken.append((time.perf_counter() - began) * 1000)
        return sorted(taken)[PROBES // 2]

    def create(self, name: str, template: str = TEMPLATE) -> None:
        names = sql.Identifier(name), sql.Identifier(template)
        self._run(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(*names))

    def _run(self, statement: sql.Composed) -> None:
        with psycopg.connect(self._server, autocommit=True) as connection:
            connection.execute(statement)

    def _url(self, name: str) -> str:
        return urlunsplit(urlsplit(self._server)._replace(path=f"/{name}"))


@contextmanager
def fresh_home() -> Iterator[Path]:
    """A GATEHOUSE_HOME of one session."""
    with tempfile.TemporaryDirectory(prefix="gatehouse-bench-") as folder:
        yield Path(folder)


def _wait_listening(port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise SystemExit("redis-server did not start")
