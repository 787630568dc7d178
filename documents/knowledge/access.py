"""Who may do what in a space, at this moment. Each change of a space locks its row first."""

from uuid import UUID

from django.db.models import Q

from config.base.models import Membership, Role, User
from documents.enums import SpaceRole
from documents.knowledge.errors import RoleMissing, SpaceMissing
from documents.models import KnowledgeSpace, SpaceMember

_RANK = {role: rank for rank, role in enumerate(SpaceRole)}
_BY_PROJECT = {
    Role.CANDIDATE: SpaceRole.READER,
    Role.EMPLOYEE: SpaceRole.READER,
    Role.SUPERVISOR: SpaceRole.MANAGER,
}


def find_role(user: User, space: KnowledgeSpace) -> SpaceRole | None:
    """The higher of what they have as a member, and by their role in its project."""
    own = SpaceMember.objects.filter(space=space, user_id=user.pk).values_list("role", flat=True)
    roles = [SpaceRole(role) for role in own]
    if space.project_id is not None:
        belongs = Membership.objects.filter(user_id=user.pk, project_id=space.project_id)
        if not space.is_for_newcomers:
            belongs = belongs.exclude(role=Role.CANDIDATE)
        roles += [_BY_PROJECT[Role(role)] for role in belongs.values_list("role", flat=True)]
    return max(roles, key=_RANK.__getitem__, default=None)


def find_roles(user: User, spaces: list[KnowledgeSpace]) -> dict[UUID, SpaceRole]:
    """The same for many, in two queries."""
    ids = [space.pk for space in spaces]
    own = SpaceMember.objects.filter(space__in=ids, user_id=user.pk)
    roles: dict[UUID, list[SpaceRole]] = {space.pk: [] for space in spaces}
    for space_id, role in own.values_list("space_id", "role"):
        roles[space_id].append(SpaceRole(role))
    works = dict(Membership.objects.filter(user_id=user.pk).values_list("project_id", "role"))
    for space in spaces:
        held = works.get(space.project_id) if space.project_id else None
        if held and (held != Role.CANDIDATE or space.is_for_newcomers):
            roles[space.pk].append(_BY_PROJECT[Role(held)])
    return {key: max(all_, key=_RANK.__getitem__) for key, all_ in roles.items() if all_}


def may(role: SpaceRole | None, least: SpaceRole) -> bool:
    return role is not None and _RANK[role] >= _RANK[least]


def lock_space(user: User, space_id: UUID, least: SpaceRole) -> KnowledgeSpace:
    """Raises `SpaceMissing` for what they can't read, `RoleMissing` where they may do less."""
    space = KnowledgeSpace.objects.select_for_update().filter(pk=space_id).first()
    role = find_role(user, space) if space else None
    if space is None or role is None:
        raise SpaceMissing
    if not may(role, least):
        raise RoleMissing
    return space


def colleagues_of(user: User) -> Q:
    """Whom they may name: people in a project with them, and themselves."""
    projects = Membership.objects.filter(user_id=user.pk).values("project_id")
    return Q(memberships__project__in=projects) | Q(pk=user.pk)
