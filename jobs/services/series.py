"""What people decide about a series: make it, let it rest, let it go on, end it.

Whoever needs the rows of both locks the jobs first and then the series, as starting a job does.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, Max
from django.db.models.functions import Now

from config.base import audit
from config.base.actor import Actor
from config.base.clock import database_now
from config.base.errors import NotFound, NotPermitted
from jobs.enums import CancelReason, JobStatus, MissedPolicy
from jobs.errors import SeriesEnded
from jobs.models import Job, JobSeries
from jobs.models.job import JobQuerySet
from jobs.recurrence import check_recurrence, next_slot
from jobs.registry import audit_facts, get_handler
from jobs.services.enqueue import PayloadValues, job_of, stored_payload, validate_payload
from jobs.services.planning import plan_first_of


@transaction.atomic
def create_series(
    kind: str,
    payload: PayloadValues | None = None,
    *,
    actor: Actor | None,
    cron: str,
    zone: str = "UTC",
    missed_policy: MissedPolicy = MissedPolicy.RUN_ONCE,
    priority: int = 0,
) -> JobSeries:
    """One of the actor's, its first job planned; `None`: the product's.

    Raises `UnknownKind`, `InvalidPayload`, `InvalidRecurrence`, and what the handler's permission
    hook raises.
    """
    handler, now = get_handler(kind), database_now()
    values = validate_payload(handler, payload or {})
    series = JobSeries(
        kind=kind,
        owner=actor.user if actor else None,
        payload=stored_payload(values),
        cron=check_recurrence(cron, zone, now),
        zone=zone,
        missed_policy=missed_policy,
        priority=priority,
    )
    handler.check_permission(job_of(series, next_slot(cron, zone, now)), values)
    series.save(force_insert=True)
    plan_first_of(series)
    _record("job_series.created", actor, series)
    return series


@transaction.atomic
def pause_series(actor: Actor, series_id: UUID) -> JobSeries:
    """Nothing of it begins from now on; what has begun goes on. Twice is once.

    Its plan is withdrawn, not cancelled: it can still be had by going on in time. Raises
    `NotFound`, `SeriesEnded`.
    """
    series = _lock_going(actor, series_id)
    if series.paused_at is None:
        _withdraw_plan(series)
        _save(series, paused_at=Now())
        _record("job_series.paused", actor, series)
    return series


@transaction.atomic
def resume_series(actor: Actor, series_id: UUID) -> JobSeries:
    """From now on: what lay in the pause was not missed. Twice is once.

    Raises `NotFound`, `SeriesEnded`, `UnknownKind`.
    """
    series = _lock_going(actor, series_id)
    if series.paused_at is not None:
        get_handler(series.kind)
        _save(series, paused_at=None)
        plan_first_of(series)
        _record("job_series.resumed", actor, series)
    return series


@transaction.atomic
def end_series(actor: Actor, series_id: UUID) -> JobSeries:
    """For good: what waits of it is cancelled, what has begun goes on. Twice is once.

    Raises `NotFound`.
    """
    series = _lock(actor, series_id)
    if series.ended_at is None:
        stop_for_good(actor, series)
        _record("job_series.ended", actor, series)
    return series


def stop_for_good(actor: Actor | None, series: JobSeries) -> None:
    """In a transaction that holds its rows. The series' own event is the caller's."""
    _save(series, ended_at=Now())
    cancelled = list(_free_to_change(series).values_list("pk", flat=True))
    Job.objects.filter(pk__in=cancelled).update(
        status=JobStatus.CANCELLED,
        next_attempt_at=None,
        finished_at=Now(),
        revision=F("revision") + 1,
        last_error_code=CancelReason.SERIES_ENDED,
    )
    facts = _facts(series) if cancelled else {}
    for pk in cancelled:
        audit.record(
            "job.cancelled",
            audit.Outcome.CANCELLED,
            actor=actor,
            target=("job", pk),
            reason_code=CancelReason.SERIES_ENDED.value,
            metadata={"kind": series.kind},
            **facts,
        )


def lock_series(series: JobSeries) -> JobSeries:
    """As it is now; what waits of it is locked as well."""
    list(_waiting(series).select_for_update().order_by("pk").values_list("pk"))
    return JobSeries.objects.select_for_update(of=("self",)).get(pk=series.pk)


def _lock(actor: Actor, series_id: UUID) -> JobSeries:
    """Raises `NotFound`; `NotPermitted` for operators who may look and not touch."""
    series = JobSeries.objects.changeable_by(actor.user).filter(pk=series_id).first()
    if series is None:
        can_see = JobSeries.objects.for_user(actor.user).filter(pk=series_id).exists()
        raise NotPermitted if can_see else NotFound
    return lock_series(series)


def _lock_going(actor: Actor, series_id: UUID) -> JobSeries:
    series = _lock(actor, series_id)
    if series.ended_at is not None:
        raise SeriesEnded
    return series


def _withdraw_plan(series: JobSeries) -> None:
    """What is planned next is computed from what remains."""
    _free_to_change(series).filter(attempts=0).delete()
    _save(series, planned_until=series.jobs.aggregate(last=Max("planned_at"))["last"])


def _waiting(series: JobSeries) -> JobQuerySet:
    return Job.objects.waiting().filter(series=series)


def _free_to_change(series: JobSeries) -> JobQuerySet:
    """What waits, but for jobs that somebody claims or cancels at this moment.

    They were planned after the others were locked. To wait for them would be to wait for those
    who wait for the series; none of them begins, as a worker asks the series first.
    """
    free = _waiting(series).select_for_update(skip_locked=True).values_list("pk", flat=True)
    return Job.objects.filter(pk__in=list(free))


def _save(series: JobSeries, **changes: Any) -> None:
    for name, value in changes.items():
        setattr(series, name, value)
    series.save(update_fields=list(changes))


def _record(action: str, actor: Actor | None, series: JobSeries) -> None:
    audit.record(
        action,
        audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("job_series", series.pk),
        metadata={"kind": series.kind},
        **_facts(series),
    )


def _facts(series: JobSeries) -> Mapping[str, str]:
    return audit_facts(Job(kind=series.kind, series=series))
