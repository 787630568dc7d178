"""Who is in a space: a manager's decision."""

from uuid import UUID

from django.db import transaction

from config.base import audit
from config.base.actor import Actor
from config.base.models import User
from documents.enums import SpaceRole
from documents.knowledge.access import colleagues_of, lock_space
from documents.knowledge.errors import LastManager, PersonMissing
from documents.models import KnowledgeSpace, SpaceMember


@transaction.atomic
def put_member(actor: Actor, space_id: UUID, username: str, role: SpaceRole) -> SpaceMember:
    """In with this role, or from now on with this role; as it is already is no change.

    Only people in a project with the actor can be named: whom else there is, is nobody's to learn.
    Raises `SpaceMissing`, `RoleMissing`, `PersonMissing`, `LastManager`.
    """
    space = lock_space(actor.user, space_id, SpaceRole.MANAGER)
    member = space.members.select_related("user").filter(user__username=username).first()
    if member is None:
        person = _find_colleague(actor.user, username)
        member = SpaceMember.objects.create(space=space, user=person, role=role)
        _record("knowledge_space.member_added", actor, member)
    elif member.role != role:
        if role != SpaceRole.MANAGER:
            _keep_a_manager(space, member)
        member.role = role
        member.save(update_fields=["role"])
        _record("knowledge_space.member_changed", actor, member)
    return member


@transaction.atomic
def remove_member(actor: Actor, space_id: UUID, member_id: UUID) -> None:
    """Whoever is in it may go; only managers send others away.

    Raises `SpaceMissing`, `RoleMissing`, `PersonMissing`, `LastManager`.
    """
    space = lock_space(actor.user, space_id, SpaceRole.READER)
    member = space.members.filter(pk=member_id).first()
    if member is None or member.user_id != actor.user.pk:
        lock_space(actor.user, space_id, SpaceRole.MANAGER)
    if member is None:
        raise PersonMissing
    _keep_a_manager(space, member)
    SpaceMember.objects.filter(pk=member.pk).delete()
    _record("knowledge_space.member_removed", actor, member)


def _find_colleague(user: User, username: str) -> User:
    people = User.objects.filter(colleagues_of(user), username=username, is_active=True)
    person = people.first()
    if person is None:
        raise PersonMissing
    return person


def _keep_a_manager(space: KnowledgeSpace, leaving: SpaceMember) -> None:
    """A project's space is managed by its supervisors as well."""
    if leaving.role != SpaceRole.MANAGER or space.project_id is not None:
        return
    others = space.members.filter(role=SpaceRole.MANAGER).exclude(pk=leaving.pk)
    if not others.exists():
        raise LastManager


def _record(action: str, actor: Actor, member: SpaceMember) -> None:
    audit.record(
        action,
        audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("knowledge_space", member.space_id),
        metadata={"role": str(member.role), "member": audit.Person(member.user_id)},
    )
