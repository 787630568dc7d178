"""Figures of jobs: how attempts ended, how long jobs waited, what failed."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, FloatField, Func, Max

from config.base.admin_periods import Period, moment
from jobs.enums import AttemptOutcome, JobStatus
from jobs.models import Job, JobAttempt


@dataclass(frozen=True, slots=True)
class KindFailures:
    kind: str
    attempts: int
    jobs: int


class SecondsBetween(Func):
    """From the second to the first. Django's own difference calls Python for each row on SQLite."""

    output_field = FloatField()
    template = "EXTRACT(EPOCH FROM (%(expressions)s))"
    arg_joiner = " - "

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = "(JULIANDAY(%(expressions)s)) * 86400.0"
        return self.as_sql(
            compiler, connection, template=template, arg_joiner=") - JULIANDAY(", **context
        )


def count_attempts_by_slot(period: Period) -> dict[str, list[float]]:
    """Outcome to the number of attempts that ended in each slot; only outcomes that occur."""
    rows = (
        JobAttempt.objects.filter(finished_at__gte=period.since)
        .annotate(moment=moment("finished_at", period))
        .order_by()
        .values_list("outcome", "moment")
        .annotate(n=Count("pk"))
    )
    by_outcome: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for outcome, when, n in rows:
        by_outcome[outcome].append((when, n))
    return {
        outcome.value: period.sums(by_outcome[outcome])
        for outcome in AttemptOutcome
        if outcome in by_outcome
    }


def list_longest_waits(period: Period) -> list[float]:
    """Seconds from its time to its start, of each slot's slowest job that ended at once.

    How old the queue was, as far as rows tell: one that is tried again waits on purpose.
    """
    waited = SecondsBetween(F("started_at"), F("scheduled_at"))
    rows = (
        Job.objects.filter(finished_at__isnull=False, finished_at__gte=period.since, attempts=1)
        .exclude(started_at=None)
        .annotate(moment=moment("finished_at", period))
        .order_by()
        .values_list("moment")
        .annotate(longest=Max(waited))
    )
    return period.tops(rows)


def list_failures(period: Period) -> list[KindFailures]:
    """By kind, the most failing first: attempts that failed or were lost, jobs given up."""
    attempts, jobs = Counter[str](), Counter[str]()
    bad = JobAttempt.objects.filter(finished_at__gte=period.since).exclude(
        outcome=AttemptOutcome.COMPLETED
    )
    for kind, n in bad.order_by().values_list("job__kind").annotate(n=Count("pk")):
        attempts[kind] = n
    failed = Job.objects.filter(
        finished_at__isnull=False, finished_at__gte=period.since, status=JobStatus.FAILED
    )
    for kind, n in failed.order_by().values_list("kind").annotate(n=Count("pk")):
        jobs[kind] = n
    found = [KindFailures(kind, attempts[kind], jobs[kind]) for kind in {*attempts, *jobs}]
    return sorted(found, key=lambda one: (-one.attempts, -one.jobs, one.kind))
