"""A file comes, is read anew, goes, is taken away by somebody."""

import time
from collections.abc import Callable, Iterable
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction

from config.base import audit
from config.base.actor import Actor
from config.base.hidden import visible
from config.base.models import User
from documents.enums import ResourceState, SpaceRole
from documents.knowledge.access import find_role, lock_space, may
from documents.knowledge.errors import (
    AlreadyThere,
    FileTooLarge,
    ResourceMissing,
    RoleMissing,
    StillReading,
)
from documents.knowledge.files import store
from documents.knowledge.files.detection import detect_type
from documents.knowledge.files.names import clean_file_name, title_of
from documents.knowledge.files.scanning import scan
from documents.knowledge.files.store import Stored
from documents.knowledge.selectors import get_space, known_names
from documents.models import Resource
from documents.models.knowledge import FILE_NAME_LENGTH
from jobs.services import enqueue

READ_KIND = "knowledge.read"
STRAY_SECONDS = 24 * 3600


def upload_resource(
    actor: Actor,
    space_id: UUID | str,
    *,
    file_name: str,
    chunks: Iterable[bytes],
    size_bytes: int | None = None,
    title: str = "",
    also: Callable[[Resource], None] = lambda _resource: None,
) -> Resource:
    """To the disk, judged, then into its space; a job reads it. `size_bytes`: as was announced.

    `also` is done in the transaction of its row.

    Raises `SpaceMissing`, `RoleMissing`, `FileTooLarge`, `FileRefused`, `AlreadyThere`.
    """
    space = get_space(actor.user, space_id)
    if not may(find_role(actor.user, space), SpaceRole.EDITOR):
        raise RoleMissing  # before anything is written; asked again with the row
    if size_bytes is not None and size_bytes > settings.KNOWLEDGE_FILE_BYTES:
        raise FileTooLarge
    name = clean_file_name(file_name)
    with store.keeping(chunks) as stored:
        media_type = detect_type(stored.path, name)
        scan(stored.path)
        shown = visible(" ".join(title.split()), FILE_NAME_LENGTH - 1) or title_of(name)
        facts = {"file_name": name, "title": shown, "media_type": media_type}
        return _keep(actor, space.pk, stored, facts, also)


@transaction.atomic
def read_again(actor: Actor, resource_id: UUID) -> Resource:
    """Raises `ResourceMissing`, `RoleMissing`, `StillReading`."""
    resource = _lock(actor, resource_id)
    if resource.state in (ResourceState.UPLOADED, ResourceState.READING):
        raise StillReading
    resource.state, resource.failure = ResourceState.UPLOADED, ""
    resource.reading += 1
    resource.save(update_fields=["state", "failure", "reading"])
    _ask_to_read(resource)
    _record("resource.read_again", actor, resource)
    return resource


@transaction.atomic
def delete_resource(actor: Actor, resource_id: UUID) -> None:
    """With what was read in it, and the file itself. Raises `ResourceMissing`, `RoleMissing`."""
    resource = _lock(actor, resource_id)
    Resource.objects.filter(pk=resource.pk).delete()
    _record("resource.deleted", actor, resource)


def record_download(actor: Actor, resource: Resource) -> None:
    """Who took a copy away is on record."""
    _record("resource.downloaded", actor, resource)


def purge_stray_files() -> int:
    """Housekeeping: files whose row never came, or went in a way that nobody told us."""
    return store.purge_strays(known_names, older_than=time.time() - STRAY_SECONDS)


@transaction.atomic
def _keep(
    actor: Actor,
    space_id: UUID,
    stored: Stored,
    facts: dict[str, str],
    also: Callable[[Resource], None],
) -> Resource:
    lock_space(actor.user, space_id, SpaceRole.EDITOR)
    try:
        with transaction.atomic():
            resource = Resource.objects.create(
                space_id=space_id,
                size_bytes=stored.size_bytes,
                sha256=stored.sha256,
                stored_name=stored.name,
                uploaded_by=actor.user,
                **facts,
            )
    except IntegrityError:
        twin = Resource.objects.filter(space_id=space_id, sha256=stored.sha256).first()
        if twin is None:
            raise
        raise AlreadyThere(resource_id=str(twin.pk)) from None
    _ask_to_read(resource)
    _record("resource.uploaded", actor, resource)
    also(resource)
    return resource


def _ask_to_read(resource: Resource) -> None:
    """The product's own work: it goes on if who uploaded it may no longer sign in."""
    enqueue(
        READ_KIND,
        {"resource_id": resource.pk, "reading": resource.reading},
        actor=None,
        idempotency_key=f"{resource.pk}:{resource.reading}",
    )


def _lock(actor: Actor, resource_id: UUID) -> Resource:
    """For who may change it, the space's row first as everywhere."""
    space_id = _space_of(actor.user, resource_id)
    lock_space(actor.user, space_id, SpaceRole.EDITOR)
    resource = Resource.objects.select_for_update().filter(pk=resource_id).first()
    if resource is None:
        raise ResourceMissing
    return resource


def _space_of(user: User, resource_id: UUID) -> UUID:
    readable = Resource.objects.for_user(user).filter(pk=resource_id)
    space_id = readable.values_list("space_id", flat=True).first()
    if space_id is None:
        raise ResourceMissing
    return space_id


def _record(action: str, actor: Actor, resource: Resource) -> None:
    audit.record(
        action,
        audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("resource", resource.pk),
        metadata={
            "space": str(resource.space_id),
            "type": resource.media_type,
            "size_bytes": resource.size_bytes,
        },
    )
