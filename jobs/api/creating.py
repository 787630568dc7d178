"""Making a job of one's own, as far as its kind lets one."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, NoReturn

from django.utils.translation import gettext as _
from rest_framework.exceptions import ErrorDetail, ValidationError

from config.base.actor import Actor
from config.base.errors import NotPermitted
from config.base.storable import is_storable
from jobs.clock import database_now
from jobs.enums import MissedPolicy
from jobs.errors import InvalidPayload, InvalidRecurrence, KindNotYours, UnknownKind
from jobs.models import Job
from jobs.registry import get_handler
from jobs.selectors import is_operator, may_create
from jobs.services import create_series, enqueue

MOST_AHEAD = timedelta(days=366)


def create_job(
    actor: Actor,
    kind: str,
    payload: Mapping[str, Any],
    *,
    scheduled_at: datetime | None = None,
    recurrence: Mapping[str, str] | None = None,
    priority: int | None = None,
    idempotency_key: str = "",
) -> Job:
    """Once, or the first one of a series. Says in `attr` which field is wrong."""
    _require_permitted(actor, kind)
    if priority is not None and not is_operator(actor.user, "add"):
        raise NotPermitted(_("Only operators give jobs a priority."))
    if not is_storable(payload):
        _refuse("payload", _("The payload holds what can't be stored."), InvalidPayload.code)
    try:
        if recurrence is not None:
            return _first_of_series(actor, kind, payload, recurrence, priority or 0)
        return enqueue(
            kind,
            payload,
            actor=actor,
            scheduled_at=_still_to_come(scheduled_at),
            idempotency_key=idempotency_key,
            priority=priority or 0,
        )
    except InvalidPayload as error:
        _refuse("payload", error.message, error.code)
    except InvalidRecurrence as error:
        _refuse("recurrence", error.message, error.code)


def _require_permitted(actor: Actor, kind: str) -> None:
    try:
        handler = get_handler(kind)
    except UnknownKind as error:
        _refuse("kind", error.message, error.code)
    if not may_create(actor.user, handler):
        raise KindNotYours


def _first_of_series(
    actor: Actor,
    kind: str,
    payload: Mapping[str, Any],
    recurrence: Mapping[str, str],
    priority: int,
) -> Job:
    series = create_series(
        kind,
        payload,
        actor=actor,
        cron=recurrence["cron"],
        zone=recurrence["zone"],
        missed_policy=MissedPolicy(recurrence["missed"]),
        priority=priority,
    )
    return series.jobs.select_related("owner").get()


def _still_to_come(moment: datetime | None) -> datetime | None:
    """None for what has passed: it is due now, and has not been waiting since then."""
    if moment is None:
        return None
    now = database_now()
    if moment > now + MOST_AHEAD:
        raise ValidationError(
            {"scheduled_at": [ErrorDetail(_("At most a year ahead."), "too_late")]}
        )
    return moment if moment > now else None


def _refuse(attr: str, message: str, code: str) -> NoReturn:
    raise ValidationError({attr: [ErrorDetail(message, code)]})
