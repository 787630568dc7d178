"""Rows of memories: found as their owner's, kept in step with the index, told to the audit."""

from typing import Any
from uuid import UUID

from django.db.models import F
from django.utils import timezone

from agents.memories.indexing import drop_memory, put_memory
from agents.models import Memory, MemoryStatus
from config.base import audit
from config.base.actor import Actor
from config.base.errors import NotFound


def lock_own(actor: Actor, memory_id: UUID) -> Memory:
    """One of the actor's own that has not been forgotten. Raises `NotFound`."""
    memory = find_own_locked(actor, memory_id)
    if memory is None or memory.status == MemoryStatus.FORGOTTEN:
        raise NotFound
    return memory


def find_own_locked(actor: Actor, memory_id: UUID) -> Memory | None:
    rows = Memory.objects.for_user(actor.user).select_for_update(of=("self",))
    return rows.filter(pk=memory_id).first()


def change(memory: Memory, **values: Any) -> Memory:
    """Write these fields, count the revision, and bring the index in step with the row."""
    changed = {**values, "revision": F("revision") + 1, "updated_at": timezone.now()}
    Memory.objects.filter(pk=memory.pk).update(**changed)
    memory.refresh_from_db()
    bring_in_step(memory)
    return memory


def bring_in_step(memory: Memory) -> None:
    """What can't be recalled is not in the index at all."""
    if memory.status == MemoryStatus.ACTIVE:
        put_memory(memory)
    else:
        drop_memory(memory.pk)


def record(action: str, actor: Actor | None, memory: Memory, **facts: Any) -> None:
    """No event holds a memory's words."""
    audit.record(
        action,
        audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("memory", memory.pk),
        metadata={
            "agent": str(memory.agent_id or ""),
            "importance": memory.importance,
            "visibility": memory.visibility,
            **facts,
        },
    )
