"""What was done, what was checked, and one line of JSON."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from tests.chaos.facts import Facts
from tests.chaos.invariants import Verdict, doubled_jobs, lost_jobs

MOST_TOLD = 10


def summary(facts: Facts, verdicts: Sequence[Verdict], kills: int) -> dict[str, Any]:
    return {
        "kills": kills,
        "jobs": len(facts.jobs),
        "lost": len(lost_jobs(facts)),
        "doubled": len(doubled_jobs(facts)),
        "violations": sum(len(verdict.violations) for verdict in verdicts),
    }


def show_deeds(done: Counter[str]) -> None:
    print(f"\n{'done':<30} {'times':>6}")
    for deed, count in sorted(done.items()):
        print(f"{deed:<30} {count:>6}")


def show_jobs(facts: Facts, fenced_off: int) -> None:
    print(f"\n{'jobs':<30} {'count':>6}")
    counts = Counter(str(row.status) for row in facts.jobs.values())
    outcomes = Counter(f"attempts {attempt.outcome}" for attempt in facts.attempts)
    told = {
        **dict(sorted(counts.items())),
        **dict(sorted(outcomes.items())),
        "cancels refused (409)": facts.ledger.refused,
        "late writes fenced off": fenced_off,
    }
    for what, count in told.items():
        print(f"{what:<30} {count:>6}")


def show_verdicts(verdicts: Sequence[Verdict]) -> None:
    print(f"\n{'':>2} {'invariant':<78} {'facts':>7} {'violations':>10}")
    for verdict in verdicts:
        found = len(verdict.violations)
        print(f"{verdict.number:>2} {verdict.says:<78} {verdict.facts:>7} {found:>10}")
    for verdict in verdicts:
        for violation in verdict.violations[:MOST_TOLD]:
            print(f"VIOLATION of {verdict.number}: {violation}")
        if len(verdict.violations) > MOST_TOLD:
            print(f"… and {len(verdict.violations) - MOST_TOLD} more of {verdict.number}")


def show_end(result: dict[str, Any]) -> None:
    print(json.dumps(result), flush=True)
