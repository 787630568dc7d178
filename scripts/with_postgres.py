#!/usr/bin/env python3
"""A throw-away PostgreSQL: `scripts/with_postgres.py COMMAND…` runs it with DATABASE_URL set.

As a library: `with throwaway_postgres() as url: …`, or `running_postgres` for one that can be
restarted. Needs the server's programs, on the PATH or where Debian puts them. A power cut loses
what is in it (fsync is off), and nothing of it is left behind.
"""

import contextlib
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

USER = "gatehouse"
START_SECONDS = 60

# Runs as the server's parent and outlives us: when we end, however that happens (kill -9 too), its
# standard input closes; it then stops the server at once and removes the folder. At each line that
# it reads before, the server ends as in a crash and stays away for so many seconds.
_GUARDIAN = """
serve() {
    "$1/postgres" -D "$2/data" >>"$2/log" 2>&1 &
    server=$!
}
serve "$1" "$2"
while read -r seconds; do
    kill -QUIT $server 2>/dev/null
    wait $server
    sleep "$seconds"
    serve "$1" "$2"
done
kill -QUIT $server 2>/dev/null
wait $server
rm -rf "$2"
"""
_SETTINGS = """
listen_addresses = '127.0.0.1'
port = {port}
unix_socket_directories = '{folder}'
max_connections = 200
fsync = off
synchronous_commit = {commits}
full_page_writes = off
"""


class Postgres:
    """A server that runs."""

    def __init__(self, url: str, folder: Path, guardian: "subprocess.Popen[bytes]") -> None:
        self.url = url
        self._folder, self._guardian = folder, guardian

    def restart(self, *, down_seconds: float = 0) -> None:
        """Every connection is cut; returns when the server takes new ones."""
        before = self._pid()
        assert self._guardian.stdin is not None
        self._guardian.stdin.write(f"{down_seconds}\n".encode())
        self._guardian.stdin.flush()
        _wait_until_ready(self._folder, not_as=before)

    def _pid(self) -> str:
        return _text_of(self._folder / "data" / "postmaster.pid").partition("\n")[0]


def find_programs() -> Path | None:
    """The folder that holds `initdb` and `postgres`, of the newest version found."""
    on_path = shutil.which("initdb")
    folders = [Path(on_path).resolve().parent] if on_path else []
    versions = Path("/usr/lib/postgresql").glob("*/bin")
    folders += sorted(versions, key=lambda folder: float(folder.parent.name), reverse=True)
    return next((folder for folder in folders if (folder / "postgres").exists()), None)


@contextlib.contextmanager
def throwaway_postgres() -> Iterator[str]:
    """Yields the URL of an empty database whose user may create others beside it."""
    with running_postgres() as server:
        yield server.url


@contextlib.contextmanager
def running_postgres(*, keeps_commits: bool = False) -> Iterator[Postgres]:
    """`keeps_commits`: what was committed survives a restart; it costs each commit a write."""
    programs = find_programs()
    if programs is None:
        raise SystemExit("PostgreSQL's server is missing (on Debian: apt-get install postgresql)")
    identity = _identity()
    folder = Path(tempfile.mkdtemp(prefix="gatehouse-pg-"))
    password, port = secrets.token_urlsafe(16), _free_port()
    (folder / "password").write_text(password)
    if identity:
        for path in (folder, folder / "password"):
            os.chown(path, identity["user"], identity["group"])
    guardian = None
    try:
        _make_cluster(programs, folder, identity)
        with (folder / "data" / "postgresql.conf").open("a") as settings:
            commits = "on" if keeps_commits else "off"
            settings.write(_SETTINGS.format(port=port, folder=folder, commits=commits))
        guardian = _start(programs, folder, identity)
        _wait_until_ready(folder)
        url = f"postgresql://{USER}:{password}@127.0.0.1:{port}/postgres"
        yield Postgres(url, folder, guardian)
    finally:
        if guardian is not None:
            guardian.communicate()  # closes its input, and waits
        shutil.rmtree(folder, ignore_errors=True)


def _identity() -> dict[str, Any]:
    """Who runs the server, as arguments of `subprocess`: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = known.get("postgres", known["nobody"])
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def _make_cluster(programs: Path, folder: Path, identity: dict[str, Any]) -> None:
    command = [str(programs / "initdb"), "-D", "data", "-U", USER, "--pwfile=password"]
    command += ["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]
    made = subprocess.run(
        command, cwd=folder, capture_output=True, check=False, text=True, **identity
    )
    if made.returncode:
        raise SystemExit(f"initdb failed: {made.stderr}")


def _start(programs: Path, folder: Path, identity: dict[str, Any]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        ["/bin/sh", "-c", _GUARDIAN, "guardian", programs, folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        cwd=folder,
        start_new_session=True,  # Ctrl-C is ours; the server ends when we have ended
        **identity,
    )


def _wait_until_ready(folder: Path, *, not_as: str = "") -> None:
    """postmaster.pid says which process it is and, last, when it takes connections.

    At the first start a fatal error is its end; later the log tells of connections that were cut.
    """
    deadline = time.monotonic() + START_SECONDS
    log = ""
    while time.monotonic() < deadline and (not_as or "FATAL" not in log):
        time.sleep(0.02)
        log = _text_of(folder / "log")
        said = _text_of(folder / "data" / "postmaster.pid").split()
        if said and said[0] != not_as and said[-1] == "ready":
            return
    raise SystemExit(f"PostgreSQL did not start: {log}")


def _text_of(file: Path) -> str:
    try:
        return file.read_text()
    except FileNotFoundError:
        return ""


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _end(signum: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + signum)


def main(command: list[str]) -> int:
    if not command:
        raise SystemExit(__doc__)
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGHUP, _end)
    with throwaway_postgres() as url:
        process = subprocess.Popen(command, env={**os.environ, "DATABASE_URL": url})
        try:
            return process.wait()
        finally:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
