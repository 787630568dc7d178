"""Granting and revoking; each with its event in the same transaction."""

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now

from config.base import audit
from config.base.actor import Actor
from config.base.errors import NotFound, NotPermitted
from config.base.models import User
from skills.enums import ApprovalMode
from skills.errors import AgentNotYours, NothingToGrant, UndeclaredPermission
from skills.manifests import Manifest
from skills.models import PermissionGrant
from skills.models.grant import PermissionGrantQuerySet
from skills.registry import get_skill
from skills.versions import is_covered_by
from tools.directory import agent_directory


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """What can be granted: a code of a skill, for one agent or (None) for all."""

    skill_id: str
    code: str
    agent_id: UUID | None = None


@transaction.atomic
def grant_permission(
    actor: Actor, permission: Permission, *, person: User | None = None
) -> PermissionGrant:
    """One's own; an operator's for any `person`. Twice is once.

    For a new major version it is granted anew and replaces the old one. Raises `UnknownSkill`,
    `UndeclaredPermission`, `NothingToGrant`, `AgentNotYours`, `NotPermitted`.
    """
    person = _person(actor, person)
    manifest = get_skill(permission.skill_id).manifest
    _refuse_undeclared(manifest, permission.code)
    check_agent(person, permission.agent_id)
    present = _active(person, permission).select_for_update().first()
    if present and is_covered_by(manifest.version, present.version):
        return present
    if present:
        _end(actor, present)
    grant, created = PermissionGrant.objects.get_or_create(
        user=person,
        skill_id=permission.skill_id,
        code=permission.code,
        agent_id=permission.agent_id,
        revoked_at=None,
        defaults={"version": manifest.version, "granted_by": actor.user},
    )
    if created:
        _record("grant.granted", actor, grant, version=manifest.version)
    return grant


@transaction.atomic
def revoke_permission(actor: Actor, permission: Permission) -> PermissionGrant | None:
    """One's own, also of skills and agents that are gone. Twice is once: None when there was
    nothing to revoke.
    """
    grant = _active(actor.user, permission).first()
    return grant if grant and _end(actor, grant) else None


@transaction.atomic
def revoke_as_operator(actor: Actor, grant_id: UUID) -> PermissionGrant:
    """Anybody's. Raises `NotPermitted`, `NotFound`."""
    if not actor.user.is_staff:
        raise NotPermitted
    grant = PermissionGrant.objects.filter(pk=grant_id).first()
    if grant is None:
        raise NotFound
    _end(actor, grant)
    return grant


def check_agent(person: User, agent_id: UUID | None) -> None:
    """Raises `AgentNotYours` for one that the person may not use."""
    if agent_id is not None and not agent_directory().may_use(person, agent_id):
        raise AgentNotYours


def _person(actor: Actor, person: User | None) -> User:
    if person is not None and person.pk != actor.user.pk and not actor.user.is_staff:
        raise NotPermitted
    return person or actor.user


def _refuse_undeclared(manifest: Manifest, code: str) -> None:
    requirement = manifest.requirement(code)
    if requirement is None:
        raise UndeclaredPermission
    if requirement.approval == ApprovalMode.PER_OPERATION:
        raise NothingToGrant


def _active(person: User, permission: Permission) -> PermissionGrantQuerySet:
    return (
        PermissionGrant.objects.for_user(person)
        .active()
        .filter(skill_id=permission.skill_id, code=permission.code, agent_id=permission.agent_id)
    )


def _end(actor: Actor, grant: PermissionGrant) -> bool:
    ended = PermissionGrant.objects.active().filter(pk=grant.pk)
    if not ended.update(revoked_at=Now(), revoked_by=actor.user):
        return False
    grant.refresh_from_db(fields=["revoked_at", "revoked_by"])
    _record("grant.revoked", actor, grant, version=grant.version)
    return True


def _record(action: str, actor: Actor, grant: PermissionGrant, *, version: str) -> None:
    audit.record(
        action,
        audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("permission_grant", grant.pk),
        skill=grant.skill_id,
        skill_version=version,
        scope=grant.scope.value,
        metadata={
            "code": grant.code,
            "agent": grant.agent_id and str(grant.agent_id),
            "owner": audit.Person(grant.user_id),
        },
    )
