"""Spaces and files as the product makes them, through the services; what is read, at once."""

from collections.abc import Iterator
from typing import Any

from config.base.actor import Actor, Origin
from config.base.models import User
from documents.enums import SpaceRole
from documents.knowledge import services
from documents.models import KnowledgeSpace, Resource, SpaceMember
from jobs.testing import run_due_jobs
from skills.models import AuditEvent


def person(user: User) -> Actor:
    return Actor(user=user, origin=Origin.PAGE)


def make_space(user: User, name: str = "Handbook", **values: Any) -> KnowledgeSpace:
    return services.create_space(person(user), name=name, **values)


def join(space: KnowledgeSpace, user: User, role: SpaceRole = SpaceRole.READER) -> SpaceMember:
    """Whoever let them in."""
    return SpaceMember.objects.create(space=space, user=user, role=role)


def upload(
    user: User, space: KnowledgeSpace, data: bytes, name: str = "notes.txt", **values: Any
) -> Resource:
    return services.upload_resource(
        person(user), space.pk, file_name=name, chunks=pieces(data), **values
    )


def make_resource(
    user: User, space: KnowledgeSpace, data: bytes | str, name: str = "notes.txt", **values: Any
) -> Resource:
    """Uploaded, and read by the job."""
    content = data.encode() if isinstance(data, str) else data
    resource = upload(user, space, content, name, **values)
    run_due_jobs()
    resource.refresh_from_db()
    return resource


def pieces(data: bytes, size: int = 65_536) -> Iterator[bytes]:
    for at in range(0, len(data), size):
        yield data[at : at + size]


def events_of(kind: str, key: object) -> list[str]:
    found = AuditEvent.objects.filter(target_type=kind, target_id=str(key))
    return list(found.order_by("pk").values_list("action", flat=True))
