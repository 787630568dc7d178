"""Memories in the search index: one part each, of its owner or, for the company, of its project."""

from collections.abc import Iterable, Iterator, Sequence
from uuid import UUID

from agents.models import Memory, MemoryStatus
from agents.models.memory import LEAST_IMPORTANCE, MOST_IMPORTANCE
from documents.search.index import drop_item, put_item
from documents.search.items import Item, Part
from documents.search.scopes import lock_holders

KIND = "memory"


class MemorySource:
    kind = KIND

    def items(self, ids: Sequence[UUID]) -> Iterator[Item]:
        rows = Memory.objects.filter(pk__in=ids, status=MemoryStatus.ACTIVE)
        return map(item_of, rows.order_by("pk"))

    def ids_after(self, after: UUID | None, limit: int) -> list[UUID]:
        rows = Memory.objects.filter(status=MemoryStatus.ACTIVE).order_by("pk")
        if after is not None:
            rows = rows.filter(pk__gt=after)
        return list(rows.values_list("pk", flat=True)[:limit])


def item_of(memory: Memory) -> Item:
    """Without a place in its conversation: what was said beside it was not to be remembered."""
    return Item(
        kind=KIND,
        holder_id=memory.holder_id,
        id=memory.pk,
        parts=[Part(text=memory.text, end=len(memory.text))],
        happened_at=memory.created_at,
        subject=memory.subject,
        importance=(memory.importance - LEAST_IMPORTANCE) / (MOST_IMPORTANCE - LEAST_IMPORTANCE),
    )


def lock_index(memories: Iterable[Memory]) -> None:
    """Before several change in one transaction, once their rows are locked: rows, then scopes."""
    lock_holders(KIND, {memory.holder_id for memory in memories})


def put_memory(memory: Memory) -> None:
    put_item(item_of(memory))


def drop_memory(memory_id: UUID) -> None:
    drop_item(KIND, memory_id)
