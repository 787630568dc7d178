"""Making, changing and deleting a space."""

from uuid import UUID

from django.db import transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _

from config.base import audit
from config.base.actor import Actor
from config.base.errors import InvalidInput, NotFound
from config.base.ids import uuid7
from config.base.models import Membership, Project, Role
from config.base.storable import is_storable
from documents.enums import SpaceRole
from documents.knowledge.access import lock_space
from documents.models import KnowledgeSpace, SpaceMember
from documents.models.knowledge import NAME_LENGTH, SLUG_LENGTH

_SUFFIX = 9  # a dash and eight digits of its id: two may have one name, and neither learns of it


@transaction.atomic
def create_space(
    actor: Actor, *, name: str, project: str = "", is_for_newcomers: bool = False
) -> KnowledgeSpace:
    """Its maker manages it. `project`: the slug of one that they supervise; all in it may read.

    Raises `InvalidInput`, `NotFound` for the project.
    """
    owner = _supervised(actor, project) if project else None
    space_id = uuid7()
    clean = _clean_name(name)
    space = KnowledgeSpace.objects.create(
        id=space_id,
        name=clean,
        slug=f"{slugify(clean)[: SLUG_LENGTH - _SUFFIX] or 'space'}-{space_id.hex[-8:]}",
        project=owner,
        is_for_newcomers=_judged_newcomers(is_for_newcomers, owner),
        created_by=actor.user,
    )
    SpaceMember.objects.create(space=space, user=actor.user, role=SpaceRole.MANAGER)
    _record("knowledge_space.created", actor, space)
    return space


@transaction.atomic
def change_space(
    actor: Actor, space_id: UUID, *, name: str | None = None, is_for_newcomers: bool | None = None
) -> KnowledgeSpace:
    """What is given. Raises `SpaceMissing`, `RoleMissing`, `InvalidInput`."""
    space = lock_space(actor.user, space_id, SpaceRole.MANAGER)
    new: dict[str, str | bool] = {}
    if name is not None:
        new["name"] = _clean_name(name)
    if is_for_newcomers is not None:
        new["is_for_newcomers"] = _judged_newcomers(is_for_newcomers, space.project)
    changed = [field for field, value in new.items() if getattr(space, field) != value]
    if not changed:
        return space
    for field in changed:
        setattr(space, field, new[field])
    space.save(update_fields=changed)
    _record("knowledge_space.changed", actor, space, changed=changed)
    return space


@transaction.atomic
def delete_space(actor: Actor, space_id: UUID) -> None:
    """With its files, for good. Raises `SpaceMissing`, `RoleMissing`."""
    space = lock_space(actor.user, space_id, SpaceRole.MANAGER)
    files = space.resources.count()
    KnowledgeSpace.objects.filter(pk=space.pk).delete()
    _record("knowledge_space.deleted", actor, space, files=files)


def _supervised(actor: Actor, slug: str) -> Project:
    found = Membership.objects.filter(
        user=actor.user, role=Role.SUPERVISOR, project__slug=slug
    ).select_related("project")
    membership = found.first()
    if membership is None:
        raise NotFound(_("You supervise no such project."))
    return membership.project


def _judged_newcomers(wanted: bool, project: Project | None) -> bool:
    if wanted and project is None:
        message = _("Only a project's space can be for newcomers: they come to the project.")
        raise InvalidInput(message, code="invalid")
    return wanted


def _clean_name(name: str) -> str:
    clean = " ".join(name.split())
    if not clean:
        raise InvalidInput(_("A space needs a name."), code="empty")
    if len(clean) > NAME_LENGTH:
        message = _("A name has at most %(most)s characters.") % {"most": NAME_LENGTH}
        raise InvalidInput(message, code="too_long")
    if not is_storable(clean):
        raise InvalidInput(_("The name holds characters that can't be stored."), code="invalid")
    return clean


def _record(action: str, actor: Actor, space: KnowledgeSpace, **facts: object) -> None:
    audit.record(
        action,
        audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("knowledge_space", space.pk),
        metadata={"project": str(space.project_id or ""), **facts},
    )
