"""What is not remembered for ever: memories of a conversation, and what lies in the archive."""

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from agents.memories.indexing import lock_index
from agents.memories.rows import change, record
from agents.models import Memory, MemoryLayer, MemoryStatus
from agents.models.memory import MemoryQuerySet
from config.base.actor import Actor, Origin

_BATCH = 100
_NO_LONGER_TOLD = (MemoryStatus.ARCHIVED, MemoryStatus.SUPERSEDED)
_STILL_TOLD = (MemoryStatus.ACTIVE, MemoryStatus.PENDING)


def archive_session_memories(actor: Actor, conversation_id: UUID) -> None:
    """Within the transaction that ends the conversation, and takes it out of all that name it: so
    all of them are locked before any scope is.
    """
    rows = Memory.objects.for_user(actor.user).filter(conversation_id=conversation_id)
    held = list(rows.select_for_update(of=("self",)).order_by("pk"))
    ending = [memory for memory in held if _is_of_session(memory)]
    lock_index(ending)
    for memory in ending:
        _archive(actor, memory)


@transaction.atomic
def archive_ended_sessions() -> int:
    """For housekeeping: of conversations that are gone, or where nobody says anything any more."""
    idle = timezone.now() - timedelta(hours=settings.SESSION_MEMORY_HOURS)
    ended = Q(conversation=None) | Q(conversation__updated_at__lt=idle)
    rows = Memory.objects.filter(ended, layer=MemoryLayer.SESSION, status__in=_STILL_TOLD)
    found = list(_at_rest(rows).order_by("pk")[:_BATCH])
    lock_index(found)
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
    found = list(_at_rest(old).order_by("updated_at")[:_BATCH])
    for memory in found:
        record("memory.purged", Actor(user=memory.owner, origin=Origin.JOB), memory)
    Memory.objects.filter(pk__in=[memory.pk for memory in found]).delete()
    return len(found)


def _at_rest(rows: MemoryQuerySet) -> MemoryQuerySet:
    """What somebody changes right now is left for the next time: a batch waits for nobody."""
    return rows.select_related("owner").select_for_update(of=("self",), skip_locked=True)


def _is_of_session(memory: Memory) -> bool:
    return memory.layer == MemoryLayer.SESSION and memory.status in _STILL_TOLD


def _archive(actor: Actor, memory: Memory) -> None:
    change(memory, status=MemoryStatus.ARCHIVED)
    record("memory.archived", actor, memory, ended="conversation")
