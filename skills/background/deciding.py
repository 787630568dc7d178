"""Whether a background skill may act: as its job is made, as it starts, and where it acts."""

from typing import Any
from uuid import UUID

from django.db import connection

from config.base import audit
from config.base.actor import Actor
from config.base.models import User
from jobs.errors import PermanentFailure
from jobs.models import Job
from skills.background.pinned import AnyBackgroundSkill, pinned_skill
from skills.definitions import BackgroundPayload
from skills.given import given_for_skill
from skills.manifests import Manifest
from skills.models import PermissionGrant
from skills.policy import PolicyDecision, decide_skill


class NotGranted(PermanentFailure):
    """The decision was not to let it act."""

    def __init__(self, decision: PolicyDecision) -> None:
        super().__init__(decision.reason, code=decision.reason_code)
        self.decision = decision


def decide(manifest: Manifest, user: User, agent_id: UUID) -> PolicyDecision:
    """One query. What would ask a person each time is refused where there is none."""
    return decide_skill(manifest, given_for_skill(user, agent_id, manifest))


def hold_permissions(manifest: Manifest, user: User) -> None:
    """What is granted now stays so until this transaction has ended: revoking waits for it.

    SQLite lets no other transaction write meanwhile, anyway.
    """
    if connection.vendor != "postgresql":
        return
    grants = PermissionGrant.objects.for_user(user).active().order_by("pk")
    held = grants.filter(skill_id=manifest.skill_id, code__in=manifest.codes).values("pk")
    sql, parameters = held.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(f"{sql} FOR SHARE", parameters)


def require_permission(job: Job, payload: BackgroundPayload) -> PolicyDecision:
    """By what counts now for the version it was made with; writes nothing.

    Raises `NotGranted`, and `PermanentFailure` where there is nobody or nothing to judge.
    """
    return require_permission_of(pinned_skill(job), job, payload)


def require_permission_of(
    skill: AnyBackgroundSkill, job: Job, payload: BackgroundPayload
) -> PolicyDecision:
    if job.owner is None:
        raise PermanentFailure(code="owner_missing")
    decision = decide(skill.manifest, job.owner, payload.agent_id)
    if not decision.allowed:
        raise NotGranted(decision)
    return decision


def record_decision(
    manifest: Manifest, decision: PolicyDecision, actor: Actor, target: tuple[str, UUID]
) -> None:
    """An event apart from what is done then."""
    outcome = audit.Outcome.ALLOWED if decision.allowed else audit.Outcome.DENIED
    facts: dict[str, Any] = {"decision": decision.outcome.value}
    if decision.grants:
        facts["grants"] = [str(grant.id) for grant in decision.grants]
    if decision.missing:
        facts["missing"] = list(decision.missing)
    audit.record(
        "policy.decided",
        outcome,
        actor=actor,
        target=target,
        skill=manifest.skill_id,
        skill_version=manifest.version,
        reason_code=decision.reason_code,
        metadata=facts,
    )
