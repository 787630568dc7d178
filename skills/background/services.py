"""Making and cancelling jobs of background skills; each with its event in the same transaction."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from config.base.actor import Actor
from config.base.clock import database_now
from config.base.digests import canonical_digest
from config.base.idempotency import check_key
from jobs import services as jobs
from jobs.enums import MissedPolicy
from jobs.errors import TooFarAhead
from jobs.models import Job
from jobs.recurrence import check_recurrence, is_closer_than, next_slot
from skills.background.deciding import decide, record_decision
from skills.background.pinned import AnyBackgroundSkill, background_skill
from skills.background.selectors import get_background_job
from skills.definitions import BackgroundPayload
from skills.errors import (
    NotRecurring,
    OneTimeOrRecurrence,
    PermissionMissing,
    SkillOff,
    TooOften,
    TooSoon,
)
from skills.grants import check_agent
from skills.models import SkillJob
from skills.policy import PolicyDecision

LEAST_AHEAD = timedelta(minutes=1)
LEAST_APART = timedelta(minutes=15)  # of a series: nobody reads what comes more often


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a person asks for: at one time, or by a `recurrence` (cron, zone, missed). The same
    that comes with the same `key` again was ordered already.
    """

    skill_id: str
    agent_id: UUID
    note: str = ""
    scheduled_at: datetime | None = None
    recurrence: Mapping[str, str] | None = None
    key: str = ""

    def digest(self) -> str:
        """Of all but the key: a form that is gone back to has its key still, for another order."""
        due = self.scheduled_at and self.scheduled_at.astimezone(UTC).isoformat()
        wanted = [self.skill_id, str(self.agent_id), self.note, due]
        return canonical_digest([*wanted, self.recurrence and dict(self.recurrence)])


def check_order(actor: Actor, order: Order) -> tuple[AnyBackgroundSkill, PolicyDecision]:
    """All that can be told before anything is made. A refusal is recorded.

    Raises `UnknownSkill`, `NotInBackground`, `AgentNotYours`, `SkillOff`, `PermissionMissing`,
    `OneTimeOrRecurrence`, `TooSoon`, `TooOften`, `TooFarAhead`, `InvalidRecurrence`.
    """
    skill = background_skill(order.skill_id)
    check_agent(actor.user, order.agent_id)
    decision = decide(skill.manifest, actor.user, order.agent_id)
    if not decision.allowed:
        record_decision(skill.manifest, decision, actor, ("agent", order.agent_id))
        off = decision.reason_code == SkillOff.code
        raise (SkillOff if off else PermissionMissing)(decision.reason)
    _check_time(order)
    return skill, decision


def create_background_job(actor: Actor, order: Order) -> Job:
    """One job, or the first of a series. What it carries is made here, never by a client.

    Raises what `check_order` does, what the skill says of the note, `TooManyJobs`,
    `TooManySeries`. Nothing is left of what was refused.
    """
    before = _ordered_before(actor, order)
    if before is not None:
        return before
    skill, decision = check_order(actor, order)
    try:
        return _order(actor, order, skill, decision)
    except IntegrityError:  # its twin came first
        before = _ordered_before(actor, order)
        if before is None:
            raise
        return before


@transaction.atomic
def _order(actor: Actor, order: Order, skill: AnyBackgroundSkill, decision: PolicyDecision) -> Job:
    jobs.require_room(actor)
    if order.key:  # of a series of which no job is left to be shown, it is free
        _same(actor, order).filter(job=None, series__jobs=None).update(order_key="")
    payload = skill.build_payload(actor, order.agent_id, order.note)
    job = _make(actor, order, payload)
    _keep(actor, job, skill, payload, decision, order)
    record_decision(skill.manifest, decision, actor, ("job", job.pk))
    return job


def _ordered_before(actor: Actor, order: Order) -> Job | None:
    """The job, or the first that is left of the series, that the same order has made."""
    if not check_key(order.key):
        return None
    made = _same(actor, order).select_related("job", "series").first()
    if made is None or made.job is not None:
        return made.job if made else None
    assert made.series is not None  # by constraint
    return made.series.jobs.order_by("created_at").first()


def _same(actor: Actor, order: Order) -> QuerySet[SkillJob]:
    kept = SkillJob.objects.for_user(actor.user).exclude(order_key="")
    return kept.filter(order_key=order.key, order_digest=order.digest())


@transaction.atomic
def cancel_background_job(actor: Actor, job_id: UUID) -> Job:
    """One's own, until it runs; of a series this time only: its next one is planned. Raises
    `NotFound`, `JobRunning`, `JobFinished`.
    """
    return jobs.cancel_job(actor, get_background_job(actor.user, job_id).pk)


@transaction.atomic
def end_background_series(actor: Actor, job_id: UUID) -> Job:
    """The series that one's own job is of, for good: what waits of it is cancelled, what runs goes
    on. Twice is once. Raises `NotFound`, `NotRecurring`.
    """
    job = get_background_job(actor.user, job_id)
    if job.series_id is None:
        raise NotRecurring
    jobs.end_series(actor, job.series_id)
    return job


def _check_time(order: Order) -> None:
    if (order.scheduled_at is None) == (order.recurrence is None):
        raise OneTimeOrRecurrence
    now = database_now()
    due = order.scheduled_at or _first_time(order.recurrence or {}, now)
    if due < now + LEAST_AHEAD:
        raise TooSoon
    if due > now + jobs.MOST_AHEAD:
        raise TooFarAhead


def _first_time(recurrence: Mapping[str, str], now: datetime) -> datetime:
    cron, zone = recurrence["cron"], recurrence["zone"]
    first = next_slot(check_recurrence(cron, zone, now), zone, now)
    if is_closer_than(LEAST_APART, cron, now):
        raise TooOften
    return first


def _make(actor: Actor, order: Order, payload: BackgroundPayload) -> Job:
    if order.recurrence is None:
        return jobs.enqueue(order.skill_id, payload, actor=actor, scheduled_at=order.scheduled_at)
    series = jobs.create_series(
        order.skill_id,
        payload,
        actor=actor,
        cron=order.recurrence["cron"],
        zone=order.recurrence["zone"],
        missed_policy=MissedPolicy(order.recurrence["missed"]),
    )
    return series.jobs.get()


def _keep(
    actor: Actor,
    job: Job,
    skill: AnyBackgroundSkill,
    payload: BackgroundPayload,
    decision: PolicyDecision,
    order: Order,
) -> None:
    SkillJob.objects.create(
        user=actor.user,
        **({"series": job.series} if job.series_id else {"job": job}),
        skill_id=skill.manifest.skill_id,
        version=skill.manifest.version,
        agent_id=payload.agent_id,
        conversation_id=payload.conversation_id,
        grant_ids=[str(grant.id) for grant in decision.grants],
        order_key=order.key,
        order_digest=order.digest(),
    )
