"""Passages in the search: kind "passage", held by their space, an item for each file."""

from collections.abc import Iterator, Sequence
from uuid import UUID

from documents.enums import ResourceState
from documents.models import Resource, ResourcePassage, ResourceQuerySet
from documents.search.embedding import embed_later
from documents.search.index import drop_holder, drop_item, drop_some, has_more_than, put_parts
from documents.search.items import Item, Part
from documents.search.sources import register

KIND = "passage"
LARGE = 50  # passages: more are not taken out of the index in one transaction


def index_passages(resource: Resource, passages: Sequence[ResourcePassage]) -> None:
    """A stretch of them, new to the index."""
    put_parts(_item_of(resource, passages), passages[0].number)


def embed_passages(resource: Resource) -> None:
    embed_later(KIND, resource.pk)


def drop_passages(resource_id: UUID) -> None:
    drop_item(KIND, resource_id)


def drop_some_passages(*, resource_id: UUID | None = None, space_id: UUID | None = None) -> int:
    return drop_some(KIND, item_id=resource_id, holder_id=space_id)


def is_large(space_id: UUID) -> bool:
    return has_more_than(LARGE, KIND, space_id)


def drop_space(space_id: UUID) -> None:
    drop_holder(KIND, space_id)


def _item_of(resource: Resource, passages: Sequence[ResourcePassage]) -> Item:
    """Passages of one file are each other's neighbours."""
    return Item(
        kind=KIND,
        holder_id=resource.space_id,
        id=resource.pk,
        parts=[_part_of(passage) for passage in passages],
        happened_at=resource.created_at,
        session_id=resource.pk,
        subject=resource.title,
    )


def _part_of(passage: ResourcePassage) -> Part:
    return Part(
        text=passage.text,
        heading=passage.heading,
        start=passage.start,
        end=passage.start + len(passage.text),
    )


class PassageSource:
    """How the index is made anew."""

    kind = KIND

    def items(self, ids: Sequence[UUID]) -> Iterator[Item]:
        for resource in self._found().filter(pk__in=ids):
            yield _item_of(resource, list(resource.passages.order_by("number")))

    def ids_after(self, after: UUID | None, limit: int) -> list[UUID]:
        found = self._found().filter(pk__gt=after) if after else self._found()
        return list(found.order_by("pk").values_list("pk", flat=True)[:limit])

    def _found(self) -> ResourceQuerySet:
        """Also one whose passages are being written: what is there of it must stay."""
        return Resource.objects.filter(state__in=[ResourceState.READY, ResourceState.READING])


register(PassageSource())
