"""`make bench-jobs`: background jobs beside raw django-q2 and procrastinate, in one run.

All do the same work on one throw-away PostgreSQL (nothing in it is durable: synchronous_commit is
off) and one Redis, each time on a fresh database, and take turns, so a slow moment of the machine
meets all of them. Ours takes the product's whole way. `--small` is for trying out the benchmark.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.figures import report
from bench.queues.results import figures_of
from bench.queues.servers import Databases, empty_redis, fresh_home, throwaway_redis
from bench.queues.session import Amounts, Measured
from bench.queues.workers import python_environment
from bench.server import ROOT
from scripts.system_packages import ensure_postgres, ensure_redis
from scripts.with_postgres import throwaway_postgres

# In this order, so that ours stands between its peers.
SYSTEMS = ("ours_orm", "q2_orm", "procrastinate_1", "ours_redis", "procrastinate_2", "q2_redis")
ROUNDS = 5  # the machine's speed changes by half between minutes
FEWER = 3  # of what is no part of a ratio with a limit
SMALL = "--small" in sys.argv[1:]
DUE, MILLION = (1_000, 20_000) if SMALL else (10_000, 1_000_000)
CLAIMS = 20 if SMALL else 60


def main() -> None:
    ensure_postgres()
    ensure_redis()
    results: dict[str, list[Measured]] = defaultdict(list)
    with throwaway_postgres() as server, throwaway_redis() as redis:
        databases = Databases(server)
        run("prepare", database=databases.template)
        for number in range(ROUNDS):
            for system in systems_of(number):
                results[system].append(session(system, number, databases, redis))
        claims = measure_claims(databases)
    for _ in range(FEWER):
        results["ours_sqlite"].append(sqlite_session())
    report("bench-jobs", figures_of(results, claims))


def systems_of(number: int) -> list[str]:
    return [system for system in SYSTEMS if number < FEWER or not system.endswith("redis")]


def amounts_of(system: str, number: int) -> Amounts:
    """The times of peers are for comparison: one round tells them."""
    size = 10 if SMALL else 1
    if system.startswith("ours"):
        paced, delayed = 100, 50 if number < 2 else 0
    elif number == 0 and system != "procrastinate_2":
        # django-q2's own timers have a grid of 30 seconds.
        paced, delayed = 200, 0 if system.startswith("q2") else 100
    else:
        paced = delayed = 0
    return Amounts(
        backlog=3_000 // size,  # some seconds, so that its beginning hardly counts
        noops=1_000 // size,
        paced=paced // size,
        delayed=delayed // size,
    )


def session(system: str, number: int, databases: Databases, redis: str) -> Measured:
    empty_redis(redis)
    with databases.fresh("bench") as url:
        probe = databases.probe_commit_ms()
        with_redis = {"GATEHOUSE_REDIS_URL": redis} if system.endswith("redis") else {}
        amounts = amounts_of(system, number)
        return measure(system, amounts, f"a commit {probe:.2f} ms", url, **with_redis)


def sqlite_session() -> Measured:
    amounts = Amounts(backlog=100 if SMALL else 1_000, beside=True)
    return measure("ours_sqlite", amounts, "SQLite", "")


def measure(system: str, amounts: Amounts, where: str, url: str, **more: str) -> Measured:
    began = time.monotonic()
    with fresh_home() as home:
        if not url:
            run("prepare", home=home)
        told = json.dumps(asdict(amounts))
        values = run("session", told, system=system, home=home, database=url, **more)
    measured = Measured(**values)
    rates = f"{measured.messages_per_s:6.0f} messages/s, {measured.noops_per_s:6.0f} no-ops/s"
    print(f"  {system:<16} {rates}  ({where}, {time.monotonic() - began:.0f} s)", flush=True)
    return measured


def measure_claims(databases: Databases) -> dict[str, float]:
    contents = {
        "few": {"due": DUE},
        "millions": {"due": DUE, "finished": MILLION, "future": MILLION},
        "many_due": {"due": 10 * DUE},
        "many_paused": {"due": DUE, "paused": 10 * DUE},
    }
    for name in contents:
        databases.create(name)
    told = json.dumps(contents)
    claims: dict[str, float] = run("claims", told, str(CLAIMS), database=databases.template)
    return claims


def run(
    module: str,
    *arguments: str,
    system: str = "",
    database: str = "",
    home: Path | None = None,
    **more: str,
) -> Any:
    """A program of bench.queues, in a process of its own: what its last line of JSON says."""
    with tempfile.TemporaryDirectory() as folder:
        environment = python_environment(
            DJANGO_SETTINGS_MODULE="bench.queues.settings",
            GATEHOUSE_HOME=str(home or folder),
            GATEHOUSE_LOG_LEVEL="WARNING",
            BENCH_SYSTEM=system,
            DATABASE_URL=database,
            **more,
        )
        done = subprocess.run(
            [sys.executable, "-m", f"bench.queues.{module}", *arguments],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise SystemExit(f"{module} {system}: {done.stderr[-4000:]}")
    lines = done.stdout.splitlines()
    return json.loads(lines[-1]) if lines else None


if __name__ == "__main__":
    main()
