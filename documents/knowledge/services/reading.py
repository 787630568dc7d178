"""What a job makes of a file. Each step is of one reading: a later one has its own."""

from uuid import UUID

from django.db import transaction
from django.utils import timezone

from config.base import audit
from documents.enums import ReadFailure, ResourceState
from documents.knowledge.extraction.reading import Outcome
from documents.knowledge.indexing import drop_passages, index_passages
from documents.models import Resource, ResourcePassage

_AT_ONCE = 500


def begin_reading(resource_id: UUID, reading: int) -> Resource | None:
    """None: it is gone, or is read by another job by now. The job itself is what is on record."""
    rows = Resource.objects.filter(pk=resource_id, reading=reading)
    rows.filter(state=ResourceState.UPLOADED).update(state=ResourceState.READING)
    return rows.filter(state=ResourceState.READING).first()


@transaction.atomic
def finish_reading(resource_id: UUID, reading: int, read: Outcome) -> bool:
    """Its passages, and what is found of them, in place of those of before; whether it is there."""
    resource = _lock(resource_id, reading)
    if resource is None:
        return False
    passages = [
        ResourcePassage(resource=resource, number=number, **passage)
        for number, passage in enumerate(read["passages"])
    ]
    resource.passages.all().delete()
    ResourcePassage.objects.bulk_create(passages, batch_size=_AT_ONCE)
    resource.state, resource.failure = ResourceState.READY, ""
    resource.pages, resource.passage_count = read["pages"], len(passages)
    resource.characters = sum(len(passage.text) for passage in passages)
    resource.read_at = timezone.now()
    resource.save()
    index_passages(resource, passages)
    _record(resource, audit.Outcome.SUCCEEDED)
    return True


@transaction.atomic
def fail_reading(resource_id: UUID, reading: int, failure: ReadFailure) -> None:
    """What an earlier reading found is not what this file says: it goes."""
    resource = _lock(resource_id, reading)
    if resource is None:
        return
    resource.passages.all().delete()
    drop_passages(resource.pk)
    resource.state, resource.failure = ResourceState.FAILED, failure
    resource.pages, resource.passage_count, resource.characters = None, 0, 0
    resource.save()
    _record(resource, audit.Outcome.FAILED)


def _lock(resource_id: UUID, reading: int) -> Resource | None:
    rows = Resource.objects.select_for_update().filter(pk=resource_id, reading=reading)
    return rows.exclude(state__in=[ResourceState.READY, ResourceState.FAILED]).first()


def _record(resource: Resource, outcome: audit.Outcome) -> None:
    audit.record(
        "resource.read",
        outcome,
        actor=None,
        target=("resource", resource.pk),
        reason_code=resource.failure,
        metadata={
            "space": str(resource.space_id),
            "pages": resource.pages,
            "passages": resource.passage_count,
        },
    )
