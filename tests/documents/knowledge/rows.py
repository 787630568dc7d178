"""A file that is read and found, written straight into the database: for tests of other things."""

import hashlib

from config.base.ids import uuid7
from config.base.models import User
from documents.enums import ResourceState, SpaceRole
from documents.knowledge.files.store import path_of
from documents.knowledge.indexing import index_passages
from documents.models import KnowledgeSpace, Resource, ResourcePassage, SpaceMember


def make_row(user: User, title: str, *, space: KnowledgeSpace | None = None) -> Resource:
    """Two passages that say the title, in a space of the user's own."""
    space = space or _space_of(user, title)
    stored_name = f"rows/{uuid7().hex}"
    path_of(stored_name).parent.mkdir(parents=True, exist_ok=True)
    path_of(stored_name).write_text(title)
    resource = Resource.objects.create(
        space=space,
        title=title,
        file_name=f"{title}.pdf",
        media_type="application/pdf",
        size_bytes=len(title.encode()),
        sha256=hashlib.sha256(f"{space.pk} {title}".encode()).hexdigest(),
        stored_name=stored_name,
        state=ResourceState.READY,
        pages=2,
        passage_count=2,
        uploaded_by=user,
    )
    passages = [
        ResourcePassage(
            resource=resource,
            number=number,
            page=number + 1,
            heading=title,
            text=f"{title}: this stands on page {number + 1}.",
            start=100 * number,
        )
        for number in range(2)
    ]
    ResourcePassage.objects.bulk_create(passages)
    index_passages(resource, passages)
    return resource


def _space_of(user: User, title: str) -> KnowledgeSpace:
    space = KnowledgeSpace.objects.create(name=title, slug=f"of-{user.pk.hex}", created_by=user)
    SpaceMember.objects.create(space=space, user=user, role=SpaceRole.MANAGER)
    return space
