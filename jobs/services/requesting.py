"""Jobs that people ask for themselves, as far as their kind lets them."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from config.base.actor import Actor
from config.base.clock import database_now
from config.base.errors import NotPermitted
from config.base.storable import is_storable
from jobs.enums import CreateBy, MissedPolicy
from jobs.errors import InvalidPayload, KindNotYours, TooFarAhead, TooManyJobs, TooManySeries
from jobs.models import Job, JobSeries
from jobs.registry import get_handler
from jobs.selectors import is_operator, may_create
from jobs.services.enqueue import enqueue
from jobs.services.series import create_series

MOST_AHEAD = timedelta(days=366)
MOST_WAITING = 1_000  # jobs of one person
MOST_SERIES = 100


@transaction.atomic
def request_job(
    actor: Actor,
    kind: str,
    payload: Mapping[str, Any],
    *,
    scheduled_at: datetime | None = None,
    recurrence: Mapping[str, str] | None = None,
    priority: int | None = None,
    idempotency_key: str = "",
) -> Job:
    """Once, or the first one of a series; `recurrence`: its `cron`, `zone` and `missed` policy.

    Raises `UnknownKind`, `KindNotYours`, `NotPermitted` (a priority is an operator's),
    `TooFarAhead`, and what `enqueue` and `create_series` raise.
    """
    _require_permitted(actor, kind, priority)
    require_room(actor)
    if not is_storable(payload):  # before it is validated: a fault quotes the key it is at
        raise InvalidPayload(_("The payload holds what can't be stored."))
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


def _require_permitted(actor: Actor, kind: str, priority: int | None) -> None:
    handler = get_handler(kind)
    if not may_create(actor.user, handler):
        theirs = handler.create_by is CreateBy.OPERATORS
        raise KindNotYours(_("Only operators may make jobs of this kind.") if theirs else "")
    if priority is not None and not is_operator(actor.user, "add"):
        raise NotPermitted(_("Only operators give jobs a priority."))


def require_room(actor: Actor) -> None:
    """One person's jobs must not be all that the workers have to do.

    Raises `TooManyJobs`, `TooManySeries`.
    """
    waiting = Job.objects.waiting().filter(owner=actor.user)
    if waiting[:MOST_WAITING].count() >= MOST_WAITING:
        raise TooManyJobs
    if JobSeries.objects.active().filter(owner=actor.user).count() >= MOST_SERIES:
        raise TooManySeries


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
        raise TooFarAhead
    return moment if moment > now else None
