"""`make bench-audit`: an audit event for its writer, a policy decision, the explorer's pages.

On a new SQLite database and, where one is installed, a throw-away PostgreSQL, each with a million
events (ROWS).
"""

import json
import os
import subprocess
import sys
from typing import Any

from bench.figures import Figure, report
from bench.server import ROOT
from scripts.with_postgres import find_programs, throwaway_postgres

ROWS = os.environ.get("ROWS", "1000000")


def main() -> None:
    figures = measure("SQLite", {"DATABASE_URL": ""})
    if find_programs():
        with throwaway_postgres() as url:
            figures += measure("PostgreSQL", {"DATABASE_URL": url}, prefix="postgresql_")
    report("bench-audit", figures)


def measure(database: str, environment: dict[str, str], *, prefix: str = "") -> list[Figure]:
    measured = _measured(environment)
    append, decision, explorer = (measured[name] for name in ("append", "decision", "explorer"))
    figures = [
        Figure(
            f"{prefix}append_ms_median",
            f"an audit event beside {int(ROWS):,}, {database}, median",
            append["median"],
            limit=3,
        ),
        Figure(f"{prefix}append_ms_p95", "  the same, p95", append["p95"]),
    ]
    if decision:
        figures += [
            Figure(
                f"{prefix}decision_ms_median",
                f"a policy decision, {database}, median",
                decision["median"],
                limit=1,
            ),
            Figure(f"{prefix}decision_ms_p95", "  the same, p95", decision["p95"]),
        ]
    return figures + [
        Figure(f"{prefix}explorer_{name}_ms", f"  the explorer, {name}", value)
        for name, value in explorer.items()
    ]


def _measured(environment: dict[str, str]) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "bench.appends", ROWS],
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
