"""What is not remembered for ever: memories of a conversation, and what lies in the archive."""

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from agents.memories.rows import change, record
from agents.models import Memory, MemoryLayer, MemoryStatus
from agents.models.memory import MemoryQuerySet
from config.base.actor import Actor, Origin

_BATCH = 100
_NO_LONGER_TOLD = (MemoryStatus.ARCHIVED, MemoryStatus.SUPERSEDED)
_STILL_TOLD = (MemoryStatus.ACTIVE, MemoryStatus.PENDING)


def archive_session_memories(actor: Actor, conversation_id: UUID) -> None:
    """Within the transaction that ends the conversation."""
    rows = Memory.objects.for_user(actor.user).filter(conversation_id=conversation_id)
    for memory in _of_session(rows).select_for_update(of=("self",)).order_by("pk"):
        _archive(actor, memory)


@transaction.atomic
def archive_ended_sessions() -> int:
    """For housekeeping: of conversations that are gone, or where nobody says anything any more."""
    idle = timezone.now() - timedelta(hours=settings.SESSION_MEMORY_HOURS)
    ended = Q(conversation=None) | Q(conversation__updated_at__lt=idle)
    rows = _of_session(Memory.objects.filter(ended)).select_related("owner")
    found = list(rows.select_for_update(of=("self",)).order_by("pk")[:_BATCH])
    for memory in found:
        _archive(Actor(user=memory.owner, origin=Origin.JOB), memory)
    return len(found)


@transaction.atomic
def purge_old_memories() -> int:
    """For housekeeping: what nobody took out of the archive in time, and what was replaced. Of the
    forgotten it stays known that there were some.
    """
    before = timezone.now() - timedelta(days=settings.MEMORY_ARCHIVE_DAYS)
    old = Memory.objects.filter(status__in=_NO_LONGER_TOLD, updated_at__lt=before)
    rows = old.select_related("owner").select_for_update(of=("self",)).order_by("updated_at")
    found = list(rows[:_BATCH])
    for memory in found:
        record("memory.purged", Actor(user=memory.owner, origin=Origin.JOB), memory)
    Memory.objects.filter(pk__in=[memory.pk for memory in found]).delete()
    return len(found)


def _of_session(rows: MemoryQuerySet) -> MemoryQuerySet:
    return rows.filter(layer=MemoryLayer.SESSION, status__in=_STILL_TOLD)


def _archive(actor: Actor, memory: Memory) -> None:
    change(memory, status=MemoryStatus.ARCHIVED)
    record("memory.archived", actor, memory, ended="conversation")
