"""The product's own series: made by `migrate`, then the operators'."""

from django.db import transaction

from config.base import audit
from jobs.handlers import Recurrence
from jobs.models import JobSeries
from jobs.registry import AnyHandler, list_handlers
from jobs.services.series import lock_series, stop_for_good


@transaction.atomic
def ship_series() -> None:
    """One for each kind that recurs; what an operator made of one stays. Twice is once.

    The first worker plans their first jobs (`plan_missing_jobs`). Series of kinds that are gone
    end, and are the product's no longer: a kind that comes back gets a new one.
    """
    recurring = set[str]()
    for handler in list_handlers():
        if handler.recurrence:
            recurring.add(handler.kind)
            _ship(handler, handler.recurrence)
    for series in JobSeries.objects.filter(shipped=True).exclude(kind__in=recurring):
        _end(series)


def _ship(handler: AnyHandler, recurrence: Recurrence) -> None:
    series, is_new = JobSeries.objects.get_or_create(
        kind=handler.kind,
        shipped=True,
        defaults={
            "payload": handler.payload_model().model_dump(mode="json"),
            "cron": recurrence.cron,
            "zone": recurrence.zone,
        },
    )
    if is_new:
        _record("job_series.created", series)


def _end(series: JobSeries) -> None:
    series = lock_series(series)
    if series.ended_at is None:
        stop_for_good(None, series)
        _record("job_series.ended", series)
    series.shipped = False
    series.save(update_fields=["shipped"])


def _record(action: str, series: JobSeries) -> None:
    facts = {"kind": series.kind}
    target = ("job_series", series.pk)
    audit.record(action, audit.Outcome.SUCCEEDED, actor=None, target=target, metadata=facts)
