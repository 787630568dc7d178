"""Making a job: its payload is checked, its permission asked, its wake-up sent after the commit."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from pydantic import BaseModel, ValidationError

from config.base import audit
from config.base.actor import Actor
from config.base.errors import IdempotencyKeyReused, InvalidInput
from config.base.storable import is_storable
from jobs.errors import InvalidPayload
from jobs.models import MAX_KEY_LENGTH, Job, JobSeries
from jobs.registry import AnyHandler, get_handler
from jobs.waking import wake_after_commit

type PayloadValues = Mapping[str, Any] | BaseModel


def enqueue(
    kind: str,
    payload: PayloadValues | None = None,
    *,
    actor: Actor | None,
    scheduled_at: datetime | None = None,
    idempotency_key: str = "",
    priority: int = 0,
) -> Job:
    """One job of the actor's, in the caller's transaction if there is one; `None`: the product's.

    It is due at `scheduled_at`, or at once. A key that this owner has used for this kind answers
    the job of then. Raises `UnknownKind`, `InvalidPayload`, `InvalidInput` for a key,
    `IdempotencyKeyReused`, and what the handler's permission hook raises.
    """
    handler = get_handler(kind)
    if len(idempotency_key) > MAX_KEY_LENGTH or not is_storable(idempotency_key):
        raise InvalidInput(_("The idempotency key is too long, or holds what can't be stored."))
    job = Job(
        kind=kind,
        handler_version=handler.version,
        owner=actor.user if actor else None,
        payload=stored_payload(validate_payload(handler, payload or {})),
        scheduled_at=scheduled_at or Now(),
        next_attempt_at=scheduled_at or Now(),
        max_attempts=handler.max_attempts,
        idempotency_key=idempotency_key,
        priority=priority,
    )
    return _find_twin(job) or _create(job, handler, actor)


def validate_payload(handler: AnyHandler, values: PayloadValues) -> BaseModel:
    """Raises `InvalidPayload` with each fault and its place."""
    if isinstance(values, handler.payload_model):
        return values
    plain = values.model_dump() if isinstance(values, BaseModel) else dict(values)
    try:
        return handler.payload_model.model_validate(plain)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False, include_input=False)
        told = [
            {"loc": [str(part) for part in fault["loc"]], "msg": fault["msg"]} for fault in faults
        ]
        first = told[0]
        message = f"{'.'.join(first['loc']) or 'payload'}: {first['msg']}"
        raise InvalidPayload(message, faults=told) from error


def stored_payload(payload: BaseModel) -> dict[str, Any]:
    """Raises `InvalidPayload` for what would be refused by the database, or changed by JSON."""
    stored = payload.model_dump(mode="json")
    if not (is_storable(payload.model_dump()) and is_storable(stored)):
        raise InvalidPayload(_("The payload holds what can't be stored."))
    return stored


def plan_job(series: JobSeries, planned_at: datetime) -> None:
    """The job of this slot, unless there is one. Raises `UnknownKind`.

    No event of its own: who made the series is written down, and how each of its jobs ended.
    """
    Job.objects.bulk_create([job_of(series, planned_at)], ignore_conflicts=True)


def job_of(series: JobSeries, planned_at: datetime) -> Job:
    """Not saved. Raises `UnknownKind`."""
    handler = get_handler(series.kind)
    return Job(
        kind=series.kind,
        handler_version=handler.version,
        owner_id=series.owner_id,
        payload=series.payload,
        scheduled_at=planned_at,
        next_attempt_at=planned_at,
        max_attempts=handler.max_attempts,
        priority=series.priority,
        series=series,
        planned_at=planned_at,
    )


def _find_twin(job: Job) -> Job | None:
    if not job.idempotency_key:
        return None
    twin = Job.objects.filter(
        owner=job.owner, kind=job.kind, idempotency_key=job.idempotency_key
    ).first()
    if twin is not None and twin.payload != job.payload:
        raise IdempotencyKeyReused
    return twin


def _create(job: Job, handler: AnyHandler, actor: Actor | None) -> Job:
    try:
        with transaction.atomic():
            handler.check_permission(job, handler.payload_model.model_validate(job.payload))
            job.save(force_insert=True)
            audit.record(
                "job.created",
                audit.Outcome.SUCCEEDED,
                actor=actor,
                target=("job", job.pk),
                metadata={"kind": job.kind},
                **handler.audit_facts(job),
            )
            wake_after_commit()
    except IntegrityError:
        twin = _find_twin(job)  # another request with the same key was faster
        if twin is None:
            raise
        return twin
    return job
