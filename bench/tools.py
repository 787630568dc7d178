"""`make bench-tools`: the gate's own cost, fetches, reading, turns and streams, against limits.

Everything runs on a new database in a temporary folder: SQLite, and for the gate and the fetches
also a throw-away PostgreSQL each, where one is installed. Pages, API and streams are asked over
HTTP of one web process.
"""

import json
import os
import subprocess
import sys
from typing import Any

from django.core.management import call_command

import tests.isolation
from bench.cast import fill_library, make_people, reader
from bench.fetches import AT_ONCE
from bench.figures import Figure, report
from bench.reading import measure_lists, measure_pages
from bench.server import ROOT, web_process
from bench.turns import measure_streams, measure_turns
from scripts.with_postgres import find_programs, throwaway_postgres

STREAMS = 50


def main() -> None:
    figures = overheads("SQLite", {"DATABASE_URL": ""}, limit=3)
    figures += fetches("SQLite", {"DATABASE_URL": ""}, suffix="_sqlite", limit=100)
    if find_programs():
        with throwaway_postgres() as url:
            figures += overheads("PostgreSQL", {"DATABASE_URL": url}, prefix="postgresql_")
        with throwaway_postgres() as url:
            figures += fetches("PostgreSQL", {"DATABASE_URL": url}, limit=25)
    call_command("migrate", verbosity=0)
    tokens = make_people(STREAMS)
    fill_library(reader())
    with web_process({"GATEHOUSE_HOME": str(tests.isolation.HOME)}) as url:
        figures += measure_lists(url, tokens[0])
        figures += measure_pages(url)
        figures += measure_turns(url, tokens[1])
        figures += measure_streams(url, tokens)
    report("bench-tools", figures)


def overheads(
    database: str, environment: dict[str, str], *, prefix: str = "", limit: float | None = None
) -> list[Figure]:
    measured = _measured("bench.overhead", environment)
    read, write = measured["read"], measured["write"]
    label = f"the gate over the bare executor, {database}"
    return [
        Figure(
            f"{prefix}overhead_ms_median", f"{label}, a read, median", read["median"], limit=limit
        ),
        Figure(f"{prefix}overhead_ms_p95", "  the same, p95", read["p95"]),
        Figure(f"{prefix}write_overhead_ms_median", "  a write, median", write["median"]),
    ]


def fetches(
    database: str, environment: dict[str, str], *, limit: float, suffix: str = ""
) -> list[Figure]:
    measured = _measured("bench.fetches", environment)
    label = f"{AT_ONCE} fetches at once over the bare client, {database}"
    key = f"fetch_{{}}_overhead_ms{suffix}"
    return [
        Figure(key.format("p95"), f"{label}, p95", measured["p95"], limit=limit),
        Figure(key.format("median"), "  the same, median", measured["median"]),
    ]


def _measured(module: str, environment: dict[str, str]) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", module],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    main()
