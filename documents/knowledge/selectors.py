"""Reading spaces, files and passages: each function sees only what the user may read now."""

from collections.abc import Collection
from uuid import UUID

from django.db.models import Count, Q, QuerySet

from config.base.models import User
from config.base.search_words import search_words
from documents.enums import ResourceState
from documents.knowledge.errors import PersonMissing, ResourceMissing, SpaceMissing
from documents.models import (
    KnowledgeSpace,
    KnowledgeSpaceQuerySet,
    Resource,
    ResourcePassage,
    ResourceQuerySet,
    SpaceMember,
)

UNREAD = (ResourceState.UPLOADED, ResourceState.READING)


def list_spaces(user: User) -> KnowledgeSpaceQuerySet:
    spaces = KnowledgeSpace.objects.for_user(user).select_related("project")
    return spaces.annotate(resource_count=Count("resources")).order_by("name", "pk")


def get_space(user: User, space_id: UUID | str) -> KnowledgeSpace:
    """Raises `SpaceMissing`."""
    key = _key(space_id)
    space = list_spaces(user).filter(pk=key).first() if key else None
    if space is None:
        raise SpaceMissing
    return space


def list_members(user: User, space_id: UUID) -> QuerySet[SpaceMember]:
    members = SpaceMember.objects.for_user(user).filter(space_id=space_id)
    return members.select_related("user").order_by("user__username")


def get_member(user: User, space_id: UUID, member_id: UUID) -> SpaceMember:
    """Raises `PersonMissing`."""
    member = list_members(user, space_id).filter(pk=member_id).first()
    if member is None:
        raise PersonMissing
    return member


def list_resources(
    user: User, *, space_id: UUID | None = None, q: str = "", state: str = ""
) -> ResourceQuerySet:
    """Newest first. `q`: words of the title or the file's name. Raises `InvalidInput`."""
    resources = Resource.objects.for_user(user).select_related("space", "uploaded_by")
    if space_id:
        resources = resources.filter(space_id=space_id)
    if state:
        resources = resources.filter(state=state)
    for word in search_words(q):
        resources = resources.filter(Q(title__icontains=word) | Q(file_name__icontains=word))
    return resources.order_by("-created_at", "-pk")


def get_resource(user: User, resource_id: UUID | str) -> Resource:
    """Raises `ResourceMissing`."""
    key = _key(resource_id)
    resource = list_resources(user).filter(pk=key).first() if key else None
    if resource is None:
        raise ResourceMissing
    return resource


def list_passages(user: User, resource_id: UUID) -> QuerySet[ResourcePassage]:
    """In their order; while it is read there are none."""
    readable = Resource.objects.for_user(user).ready().filter(pk=resource_id)
    return ResourcePassage.objects.filter(resource__in=readable).order_by("number")


def readable_among(user: User, ids: Collection[UUID]) -> frozenset[str]:
    """Those of these files that the user may read now, as text; asks nothing for none."""
    if not ids:
        return frozenset()
    rows = Resource.objects.for_user(user).filter(pk__in=ids)
    return frozenset(str(key) for key in rows.values_list("pk", flat=True))


def known_names(names: list[str]) -> set[str]:
    """Of files in the store, those that a row has."""
    rows = Resource.objects.filter(stored_name__in=names)
    return set(rows.values_list("stored_name", flat=True))


def _key(given: UUID | str) -> UUID | None:
    if isinstance(given, UUID):
        return given
    try:
        return UUID(given)
    except ValueError:
        return None
