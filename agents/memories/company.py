"""What an operator does with what somebody wants remembered for everybody in a project."""

from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from agents.memories.indexing import lock_index
from agents.memories.rows import change, record
from agents.memories.services import supersede
from agents.models import Memory, MemoryStatus
from config.base import audit
from config.base.actor import Actor
from config.base.errors import Conflict, NotFound, NotPermitted

PERMISSION = "agents.change_memory"


@transaction.atomic
def accept_memory(actor: Actor, memory_id: UUID) -> Memory:
    """From now on it is recalled in its project; what it replaces is not any more.

    Raises `NotPermitted`, `NotFound`, `Conflict` (already_decided).
    """
    memory = _lock_pending(actor, memory_id)
    replaced = _replaced_by(memory)
    lock_index([memory, *replaced])
    change(memory, status=MemoryStatus.ACTIVE)
    record("memory.accepted", actor, memory, owner=audit.Person(memory.owner_id))
    for older in replaced:
        supersede(actor, older, memory)
    return memory


@transaction.atomic
def decline_memory(actor: Actor, memory_id: UUID) -> Memory:
    """Its owner finds it in their archive. Raises as `accept_memory` does."""
    memory = _lock_pending(actor, memory_id)
    replaced = _replaced_by(memory)
    lock_index([memory, *replaced])
    change(memory, status=MemoryStatus.ARCHIVED)
    record("memory.declined", actor, memory, owner=audit.Person(memory.owner_id))
    for older in replaced:
        change(older, superseded_by=None)
    return memory


@transaction.atomic
def reveal_memory(actor: Actor, memory_id: UUID) -> Memory:
    """The words that an operator decides on, and no others. That they looked is on record."""
    memory = _lock_pending(actor, memory_id)
    record("memory.viewed", actor, memory, owner=audit.Person(memory.owner_id))
    return memory


def _lock_pending(actor: Actor, memory_id: UUID) -> Memory:
    if not (actor.user.is_staff and actor.user.has_perm(PERMISSION)):
        raise NotPermitted
    memory = Memory.objects.select_for_update(of=("self",)).filter(pk=memory_id).first()
    if memory is None:
        raise NotFound
    if memory.status != MemoryStatus.PENDING:
        raise Conflict(_("It does not wait for an operator any more."), code="already_decided")
    return memory


def _replaced_by(memory: Memory) -> list[Memory]:
    rows = Memory.objects.filter(superseded_by=memory, status=MemoryStatus.ACTIVE)
    return list(rows.select_for_update(of=("self",)).order_by("pk"))
