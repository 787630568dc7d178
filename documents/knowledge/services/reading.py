"""What a job makes of a file. Each step is of one reading: a later one has its own."""

from collections.abc import Iterator, Sequence
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from config.base import audit
from documents.enums import ReadFailure, ResourceState
from documents.knowledge.extraction.passages import Passage
from documents.knowledge.extraction.reading import Outcome
from documents.knowledge.forgetting import forget_passages_later
from documents.knowledge.indexing import drop_some_passages, embed_passages, index_passages
from documents.models import Resource, ResourcePassage

STRETCH_CHARS = 30_000  # of one transaction: on SQLite nobody else writes meanwhile


def begin_reading(resource_id: UUID, reading: int) -> Resource | None:
    """None: it is gone, or is read by another job by now. The job itself is what is on record."""
    rows = Resource.objects.filter(pk=resource_id, reading=reading)
    rows.filter(state=ResourceState.UPLOADED).update(state=ResourceState.READING)
    return rows.filter(state=ResourceState.READING).first()


def write_passages(resource: Resource, passages: Sequence[Passage]) -> Iterator[None]:
    """In place of those of before, a stretch in each step and its transaction.

    None is found before the file is ready. It ends early where another reading has begun.
    """
    while _clear_some(resource):
        yield
    at = 0
    while at < len(passages):
        size = _stretch(passages, at)
        if not _write_some(resource, passages[at : at + size], at):
            return
        at += size
        yield


@transaction.atomic
def finish_reading(resource_id: UUID, reading: int, read: Outcome) -> bool:
    """Its passages are there: from now on they are found. False: it is gone, or read anew."""
    resource = _lock(resource_id, reading)
    if resource is None:
        return False
    resource.state, resource.failure = ResourceState.READY, ""
    resource.pages, resource.passage_count = read["pages"], len(read["passages"])
    resource.characters = sum(len(passage["text"]) for passage in read["passages"])
    resource.read_at = timezone.now()
    resource.save()
    embed_passages(resource)
    _record(resource, audit.Outcome.SUCCEEDED)
    return True


@transaction.atomic
def fail_reading(resource_id: UUID, reading: int, failure: ReadFailure) -> None:
    """What an earlier reading found is not what this file says: it goes."""
    resource = _lock(resource_id, reading)
    if resource is None:
        return
    forget_passages_later(resource)
    resource.state, resource.failure = ResourceState.FAILED, failure
    resource.pages, resource.passage_count, resource.characters = None, 0, 0
    resource.save()
    _record(resource, audit.Outcome.FAILED)


@transaction.atomic
def _clear_some(resource: Resource) -> int:
    if _lock(resource.pk, resource.reading) is None:
        return 0
    gone = drop_some_passages(resource_id=resource.pk)
    if not gone:
        resource.passages.all().delete()
    return gone


def _stretch(passages: Sequence[Passage], at: int) -> int:
    size = characters = 0
    while at + size < len(passages) and characters < STRETCH_CHARS:
        characters += len(passages[at + size]["text"])
        size += 1
    return size


@transaction.atomic
def _write_some(resource: Resource, passages: Sequence[Passage], first: int) -> bool:
    if _lock(resource.pk, resource.reading) is None:
        return False
    rows = [
        ResourcePassage(resource=resource, number=number, **passage)
        for number, passage in enumerate(passages, first)
    ]
    ResourcePassage.objects.bulk_create(rows)
    index_passages(resource, rows)
    return True


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
