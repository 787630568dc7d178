"""What every benchmark prints: a table with its limits and, last, one line of JSON."""

import json
import math
import os
import platform
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value; without a limit it is told for comparison only."""

    key: str
    label: str
    value: float
    unit: str = "ms"
    limit: float | None = None
    is_least: bool = False  # the limit is a floor, as of a throughput
    goal: float | None = None  # what is hoped for beyond the limit; decides nothing

    @property
    def holds(self) -> bool:
        return self.limit is None or self.reaches(self.limit)

    def reaches(self, bound: float) -> bool:
        return self.value >= bound if self.is_least else self.value <= bound


def percentile(values: Sequence[float], share: float) -> float:
    """Nearest rank: a value that was measured, never one between two."""
    return sorted(values)[math.ceil(len(values) * share) - 1]


def p95(values: Sequence[float]) -> float:
    return percentile(values, 0.95)


def p99(values: Sequence[float]) -> float:
    return percentile(values, 0.99)


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def machine() -> dict[str, Any]:
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "cpu": _cpu(),
        "python": platform.python_version(),
    }


def _cpu() -> str:
    listed = Path("/proc/cpuinfo")
    lines = listed.read_text().splitlines() if listed.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def report(name: str, figures: Sequence[Figure]) -> NoReturn:
    """Ends the program: 0 when every limit holds."""
    about = machine()
    print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in about.items()))
    width = max(len(figure.label) for figure in figures)
    for figure in figures:
        print(f"  {figure.label:<{width}}  {_told(figure)}")
    values = {figure.key: round(figure.value, 2) for figure in figures}
    print(json.dumps({**values, "machine": about}))
    sys.exit(0 if all(figure.holds for figure in figures) else 1)


def _told(figure: Figure) -> str:
    told = f"{figure.value:9.2f} {figure.unit:<2}"
    if figure.limit is not None:
        told += f"  {'at least' if figure.is_least else 'limit'} {figure.limit:g}"
        told += "" if figure.holds else "  MISSED"
    if figure.goal is not None:
        told += f"  goal {figure.goal:g}{'' if figure.reaches(figure.goal) else ' not reached'}"
    return told
