"""The next job of a series: one at a time, computed from the planned time of the one before.

Raising `planned_until` from what was read is the turn to plan: of any number of workers one has
it, so each slot is planned once and each outage is written down once.
"""

import logging
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef

from config.base.clock import database_now
from jobs.enums import WAITING, JobStatus
from jobs.errors import InvalidRecurrence
from jobs.models import Job, JobSeries, MissedSlots
from jobs.models.series import JobSeriesQuerySet
from jobs.recurrence import Missed, Outlook, look_ahead
from jobs.registry import find_handler, list_kinds
from jobs.services.enqueue import plan_job

log = logging.getLogger(__name__)

BATCH = 200
_UNBEGUN = (*WAITING, JobStatus.RUNNING)  # together with: no attempt was counted


def plan_next_of(job: Job, *, missed: bool = False) -> bool:
    """In the transaction in which a job of a series stops waiting: the one after it.

    Any number of times is once. Slots that have passed meanwhile are written down as missed, with
    `missed` this one too. False: nothing was planned, or somebody else has done so.
    """
    if job.series_id is None or job.planned_at is None:
        return False
    series = JobSeries.objects.active().filter(pk=job.series_id).first()
    if series is None or (series.planned_until and series.planned_until > job.planned_at):
        return False
    return _plan(series, job.planned_at, itself=missed)


def plan_first_of(series: JobSeries) -> bool:
    """From now on; slots that were planned before stay as they are."""
    now = database_now()
    return _plan(series, max(series.planned_until or now, now))


def plan_missing_jobs() -> int:
    """The net: the next job of active series that lack one, `BATCH` at most; how many were planned.

    Series of kinds that this process does not know are left to one that does. One that can't be
    planned stops no other.
    """
    planned = 0
    # At random: those that can't be planned must not stand before others for ever.
    lacking = unplanned_series().order_by("?").values_list("pk", flat=True)
    for pk in list(lacking[:BATCH]):
        try:
            planned += _plan_missing(pk)
        except Exception:
            log.exception("series %s can't be planned", pk)
    return planned


def unplanned_series() -> JobSeriesQuerySet:
    newest = Job.objects.filter(
        series=OuterRef("pk"), planned_at=OuterRef("planned_until"), attempts=0, status__in=_UNBEGUN
    )
    return JobSeries.objects.active().filter(~Exists(newest), kind__in=list_kinds())


def write_missed(series_id: UUID, missed: Missed) -> None:
    MissedSlots.objects.get_or_create(
        series_id=series_id,
        first_planned_at=missed.first,
        defaults={
            "last_planned_at": missed.last,
            "count": missed.count,
            "is_more": missed.is_more,
        },
    )


@transaction.atomic
def _plan_missing(pk: UUID) -> bool:
    series = unplanned_series().filter(pk=pk).first()
    if series is None:
        return False
    return _plan(series, series.planned_until) if series.planned_until else plan_first_of(series)


def _plan(series: JobSeries, after: datetime, *, itself: bool = False) -> bool:
    if find_handler(series.kind) is None:
        return False
    outlook = _look_ahead(series, after, itself=itself)
    if outlook is None or not _take_turn(series, outlook.upcoming):
        return False
    if outlook.missed:
        write_missed(series.pk, outlook.missed)
    plan_job(series, outlook.upcoming)
    return True


def _look_ahead(series: JobSeries, after: datetime, *, itself: bool) -> Outlook | None:
    """None: its zone is gone, say. That must keep no job of it from ending, nor another series."""
    try:
        return look_ahead(series.cron, series.zone, after, database_now(), itself=itself)
    except InvalidRecurrence:
        log.exception("series %s (%s) can't be planned", series.pk, series)
        return None


def _take_turn(series: JobSeries, until: datetime) -> bool:
    as_read = JobSeries.objects.active().filter(pk=series.pk, planned_until=series.planned_until)
    if series.planned_until is None:
        as_read = JobSeries.objects.active().filter(pk=series.pk, planned_until__isnull=True)
    return bool(as_read.update(planned_until=until))
