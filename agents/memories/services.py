"""What a person does with what is remembered of them. No event holds a memory's words."""

from collections.abc import Iterable
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.models import Agent, Memory, MemoryStatus
from agents.models.memory import (
    LEAST_IMPORTANCE,
    MAX_TEXT_LENGTH,
    MOST_IMPORTANCE,
    USUAL_IMPORTANCE,
)
from config.base import audit
from config.base.actor import Actor
from config.base.errors import InvalidInput, NotFound
from config.base.provenance import Provenance
from config.base.storable import is_storable


@transaction.atomic
def create_memory(
    actor: Actor,
    text: str,
    *,
    agent_id: UUID | None = None,
    importance: int = USUAL_IMPORTANCE,
    provenance: Iterable[str] = (Provenance.OWN,),
) -> Memory:
    """Of one agent that the actor may use, or of all. Raises `InvalidInput`, `NotFound`."""
    if agent_id and not Agent.objects.for_user(actor.user).filter(pk=agent_id).exists():
        raise NotFound(_("There is no such agent for you."))
    if not LEAST_IMPORTANCE <= importance <= MOST_IMPORTANCE:
        message = _("The importance is a number from %(least)s to %(most)s.")
        limits = {"least": LEAST_IMPORTANCE, "most": MOST_IMPORTANCE}
        raise InvalidInput(message % limits, code="invalid")
    memory = Memory.objects.create(
        owner=actor.user,
        agent_id=agent_id,
        text=_clean(text),
        importance=importance,
        provenance=sorted({str(one) for one in provenance}),
    )
    _record("memory.created", actor, memory)
    return memory


@transaction.atomic
def forget_memory(actor: Actor, memory_id: UUID) -> None:
    """Its words are gone for good; that there was one is kept. Once more changes nothing.

    Raises `NotFound`.
    """
    rows = Memory.objects.for_user(actor.user).select_for_update()
    memory = rows.filter(pk=memory_id).first()
    if memory is None:
        raise NotFound
    if memory.status == MemoryStatus.FORGOTTEN:
        return
    Memory.objects.filter(pk=memory.pk).update(
        text="", status=MemoryStatus.FORGOTTEN, updated_at=timezone.now()
    )
    _record("memory.forgotten", actor, memory)


def _clean(text: str) -> str:
    text = text.strip()
    if not text:
        raise InvalidInput(_("There is nothing to remember."), code="required")
    if len(text) > MAX_TEXT_LENGTH:
        message = _("A memory has at most %(n)s characters.") % {"n": MAX_TEXT_LENGTH}
        raise InvalidInput(message, code="too_long")
    if not is_storable(text):
        raise InvalidInput(_("The text holds characters that can't be stored."), code="invalid")
    return text


def _record(action: str, actor: Actor, memory: Memory) -> None:
    audit.record(
        action,
        audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("memory", memory.pk),
        metadata={"agent": str(memory.agent_id or ""), "importance": memory.importance},
    )
