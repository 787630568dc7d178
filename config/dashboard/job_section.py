"""Jobs, as the page shows them."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.utils.translation import gettext as _

from config.base.admin_base import short_span
from config.base.admin_charts import Chart, Series, share_bar
from config.base.admin_figures import Figure
from config.base.admin_links import list_link
from config.base.admin_periods import Period
from config.dashboard.jobs import count_attempts_by_slot, list_failures, list_longest_waits
from jobs.enums import AttemptOutcome, JobStatus
from jobs.health import Queue

SHOWN = 10  # kinds in the table
_COLOURS = {
    AttemptOutcome.COMPLETED: "success",
    AttemptOutcome.FAILED: "error",
    AttemptOutcome.LOST: "timeout",
}


def describe_jobs(period: Period, queue: Queue) -> dict[str, Any]:
    by_slot = count_attempts_by_slot(period)
    waits = list_longest_waits(period)
    failures = list_failures(period)
    failed = sum(one.jobs for one in failures)
    total = int(sum(map(sum, by_slot.values())))
    age = queue.age_seconds
    most = max((one.attempts for one in failures), default=0)
    return {
        "total": total,
        "failed": failed,
        "chart": Chart(_("Attempts of jobs by outcome"), period.labels(), _series(by_slot)),
        "rows": list(_slot_rows(by_slot, waits, period)),
        "waits": Chart(
            _("Longest wait for a start"),
            period.labels(),
            [Series(_("longest wait"), "output", waits)],
            unit=" s",
        ),
        "failures": [
            {
                "figures": one,
                "bar": share_bar(one.attempts / most if most else 0),
                "link": list_link("jobs_job", kind=one.kind),
                "failed_link": failed_link(period, kind=one.kind),
            }
            for one in failures[:SHOWN]
        ],
        "figures": [
            Figure(_("Attempts of jobs"), f"{total:,}", list_link("jobs_job")),
            Figure(_("Jobs failed"), f"{failed:,}", failed_link(period)),
            Figure(
                _("Oldest due job"),
                short_span(timedelta(seconds=age)) if age is not None else "–",
                list_link("jobs_job", status=JobStatus.SCHEDULED.value),
            ),
        ],
    }


def failed_link(period: Period, **query: str) -> str:
    return list_link("jobs_job", status=JobStatus.FAILED.value, ended_since=period.since, **query)


def _series(by_slot: dict[str, list[float]]) -> list[Series]:
    return [
        Series(str(AttemptOutcome(outcome).label), _COLOURS[AttemptOutcome(outcome)], values)
        for outcome, values in by_slot.items()
    ]


def _slot_rows(
    by_slot: dict[str, list[float]], waits: list[float], period: Period
) -> Iterable[dict[str, Any]]:
    for n, label in enumerate(period.labels()):
        counts = [int(values[n]) for values in by_slot.values()]
        if any(counts) or waits[n]:
            yield {
                "label": label,
                "counts": counts,
                "wait": short_span(timedelta(seconds=waits[n])),
            }
