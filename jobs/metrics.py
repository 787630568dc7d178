"""What /metrics says of jobs. Nothing is counted in memory: any process answers for all of them.

Each figure is read through a partial index, or bounded by an hour; jobs that ended are not
counted, as there is no end to them.
"""

from collections.abc import Iterator
from datetime import timedelta

from django.db.models import Count
from django.db.models.functions import Now
from prometheus_client.core import GaugeMetricFamily, Metric

from jobs.backlog import due_jobs
from jobs.enums import WAITING, JobStatus
from jobs.health import get_queue
from jobs.models import Job, JobAttempt, PausedKind
from jobs.selectors import with_status
from jobs.services.recovery import lost_jobs

MOST_COUNTED = 100_000  # jobs that wait: beyond it the figure says only "so many at least"
LOOKED_BACK = timedelta(hours=1)


class JobsCollector:
    def collect(self) -> Iterator[Metric]:
        yield _by_status()
        yield _gauge("due", "Jobs whose time has come, of kinds that are not paused.", _count_due())
        yield from _queue()
        yield _gauge("leases_expired", "Leases that ran out and wait for recovery.", _count_lost())
        yield _gauge("kinds_paused", "Kinds that rest.", PausedKind.objects.count())
        yield _attempts()


def _by_status() -> Metric:
    family = GaugeMetricFamily(
        "gatehouse_jobs", f"Jobs that have not ended; at most {MOST_COUNTED}.", labels=["status"]
    )
    for status in (*WAITING, JobStatus.RUNNING):
        rows = Job.objects.filter(with_status(status))[:MOST_COUNTED]
        family.add_metric([status.value], rows.count())
    return family


def _queue() -> Iterator[Metric]:
    queue = get_queue()
    yield _gauge(
        "oldest_due_seconds", "How long the oldest due job waits.", queue.age_seconds or 0.0
    )
    yield _gauge("workers_alive", "Sets of worker processes seen lately.", queue.workers)
    yield _gauge("slots", "Jobs that these can run at the same time.", queue.slots)
    yield _gauge("stalled", "1: jobs wait and none runs.", int(queue.is_stalled))


def _attempts() -> Metric:
    family = GaugeMetricFamily(
        "gatehouse_jobs_attempts_last_hour",
        "Attempts that ended within the last hour.",
        labels=["kind", "outcome"],
    )
    rows = (
        JobAttempt.objects.filter(finished_at__gt=Now() - LOOKED_BACK)
        .order_by()
        .values_list("job__kind", "outcome")
        .annotate(n=Count("pk"))
    )
    for kind, outcome, n in sorted(rows):
        family.add_metric([kind, outcome], n)
    return family


def _count_due() -> int:
    return due_jobs()[:MOST_COUNTED].count()


def _count_lost() -> int:
    return lost_jobs().order_by()[:MOST_COUNTED].count()


def _gauge(name: str, says: str, value: float) -> Metric:
    return GaugeMetricFamily(f"gatehouse_jobs_{name}", says, value=value)
