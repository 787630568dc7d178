"""What was read in a file leaves the index: at once if it is little, else in a job, in batches.

Until then nobody finds it: what is found is asked of the files that are there.
"""

from collections.abc import Iterator
from uuid import UUID

from django.db import transaction

from documents.enums import ResourceState
from documents.knowledge.indexing import (
    LARGE,
    drop_passages,
    drop_some_passages,
    drop_space,
    is_large,
)
from documents.models import KnowledgeSpace, Resource
from jobs.services import enqueue

FORGET_KIND = "knowledge.forget"


def forget_passages_later(resource: Resource) -> None:
    if resource.state == ResourceState.READY and resource.passage_count <= LARGE:
        drop_passages(resource.pk)
    else:
        enqueue(FORGET_KIND, {"resource_id": resource.pk}, actor=None)


def forget_space_later(space: KnowledgeSpace) -> None:
    if is_large(space.pk):
        enqueue(FORGET_KIND, {"space_id": space.pk}, actor=None)
    else:
        drop_space(space.pk)


def forget(resource_id: UUID | None, space_id: UUID | None) -> Iterator[None]:
    """A batch in each step and its transaction."""
    while _forget_some(resource_id, space_id):
        yield
    if space_id is not None:
        drop_space(space_id)


@transaction.atomic
def _forget_some(resource_id: UUID | None, space_id: UUID | None) -> int:
    """One that is read anew meanwhile is no more to be forgotten: its job clears it."""
    if resource_id is None:
        return drop_some_passages(space_id=space_id)
    resource = Resource.objects.select_for_update().filter(pk=resource_id).first()
    if resource is not None:
        if resource.state != ResourceState.FAILED:
            return 0
        resource.passages.all().delete()
    return drop_some_passages(resource_id=resource_id)
