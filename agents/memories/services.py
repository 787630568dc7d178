"""What a person does with what is remembered of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from agents.memories import values
from agents.memories.indexing import lock_index
from agents.memories.rows import bring_in_step, change, find_own_locked, lock_own, record
from agents.models import (
    Agent,
    Conversation,
    Memory,
    MemoryLayer,
    MemoryStatus,
    Message,
    MessageRole,
    Visibility,
)
from agents.models.memory import USUAL_IMPORTANCE
from config.base.actor import Actor
from config.base.errors import Conflict, InvalidInput, NotFound
from config.base.models import Membership
from config.base.provenance import Provenance


@transaction.atomic
def create_memory(
    actor: Actor,
    text: str,
    *,
    agent_id: UUID | None = None,
    importance: int = USUAL_IMPORTANCE,
    provenance: Iterable[str] = (Provenance.OWN,),
    subject: str = "",
    layer: str = MemoryLayer.LONG_TERM,
    project_id: UUID | None = None,
    replaces: UUID | None = None,
) -> Memory:
    """Of one agent that the actor may use, or of all. With a project: for everybody in it, once an
    operator has accepted it. `replaces` is one of the actor's own that it is now instead of; it
    stays as long as the new one waits. Raises `InvalidInput`, `NotFound`.
    """
    _check_agent(actor, agent_id)
    if project_id is not None:
        require_member(actor, project_id)
    source = _source_of(actor)
    if values.clean_layer(layer) == MemoryLayer.SESSION and source.conversation_id is None:
        message = _("There is no conversation that it could be remembered for.")
        raise InvalidInput(message, code="no_conversation")
    older = _lock_replaceable(actor, replaces) if replaces is not None else None
    memory = Memory.objects.create(
        owner=actor.user,
        agent_id=agent_id,
        project_id=project_id,
        visibility=Visibility.COMPANY if project_id else Visibility.PRIVATE,
        status=MemoryStatus.PENDING if project_id else MemoryStatus.ACTIVE,
        text=values.clean_text(text),
        subject=values.clean_subject(subject),
        importance=values.clean_importance(importance),
        layer=layer,
        provenance=sorted({str(one) for one in provenance}),
        conversation_id=source.conversation_id,
        source_message_id=source.message_id,
    )
    bring_in_step(memory)
    record("memory.created", actor, memory)
    if older is not None:
        _replace(actor, older, memory)
    return memory


@transaction.atomic
def edit_memory(
    actor: Actor,
    memory_id: UUID,
    *,
    text: str | None = None,
    subject: str | None = None,
    importance: int | None = None,
    layer: str | None = None,
) -> Memory:
    """Changed in place: the same fact in better words. That the fact is another one by now is a new
    memory that replaces this one. Other words for the company wait for an operator again.

    Raises `NotFound`, `InvalidInput`, `Conflict` (not_active).
    """
    memory = lock_own(actor, memory_id)
    if memory.status not in (MemoryStatus.ACTIVE, MemoryStatus.PENDING):
        raise Conflict(_("Only what is still remembered can be changed."), code="not_active")
    given = _cleaned(text=text, subject=subject, importance=importance, layer=layer)
    if given.get("layer") == MemoryLayer.SESSION and memory.conversation_id is None:
        message = _("There is no conversation that it could be remembered for.")
        raise InvalidInput(message, code="no_conversation")
    changed = {name: value for name, value in given.items() if value != getattr(memory, name)}
    if not changed:
        return memory
    fields = sorted(changed)
    if memory.visibility == Visibility.COMPANY and {"text", "subject"} & changed.keys():
        changed["status"] = MemoryStatus.PENDING
    change(memory, **changed)
    record("memory.changed", actor, memory, fields=fields)
    return memory


@dataclass(frozen=True, slots=True)
class Shown:
    """To whom: everybody in a project, or without one its owner alone."""

    project_id: UUID | None


@transaction.atomic
def change_memory(
    actor: Actor, memory_id: UUID, *, shown: Shown | None = None, **changes: Any
) -> Memory:
    """Both at once; raises what each of them does."""
    memory = edit_memory(actor, memory_id, **changes)
    return show_memory_to(actor, memory_id, shown.project_id) if shown else memory


@transaction.atomic
def show_memory_to(actor: Actor, memory_id: UUID, project_id: UUID | None) -> Memory:
    """For everybody in this project of the actor's, once an operator accepts it; without one it is
    the owner's alone again, at once. Raises `NotFound`, `Conflict` (not_active).
    """
    memory = lock_own(actor, memory_id)
    if memory.status not in (MemoryStatus.ACTIVE, MemoryStatus.PENDING):
        raise Conflict(_("Only what is still remembered can be changed."), code="not_active")
    if memory.project_id == project_id:
        return memory
    if project_id is None:
        change(memory, project=None, visibility=Visibility.PRIVATE, status=MemoryStatus.ACTIVE)
    else:
        require_member(actor, project_id)
        change(
            memory,
            project=project_id,
            visibility=Visibility.COMPANY,
            status=MemoryStatus.PENDING,
        )
    record("memory.visibility_changed", actor, memory)
    return memory


@transaction.atomic
def archive_memory(actor: Actor, memory_id: UUID) -> Memory:
    """Kept for a time, and told to nobody. Once more changes nothing. Raises `NotFound`,
    `Conflict` (superseded).
    """
    memory = lock_own(actor, memory_id)
    if memory.status == MemoryStatus.ARCHIVED:
        return memory
    if memory.status == MemoryStatus.SUPERSEDED:
        raise Conflict(_("A newer memory has replaced it."), code="superseded")
    change(memory, status=MemoryStatus.ARCHIVED)
    record("memory.archived", actor, memory)
    return memory


@transaction.atomic
def restore_memory(actor: Actor, memory_id: UUID) -> Memory:
    """Out of the archive, for good: what a person takes back does not end with a conversation. For
    the company an operator is asked again. Once more changes nothing.

    Raises `NotFound`, `Conflict` (superseded).
    """
    memory = lock_own(actor, memory_id)
    if memory.status == MemoryStatus.SUPERSEDED:
        raise Conflict(_("A newer memory has replaced it."), code="superseded")
    if memory.status != MemoryStatus.ARCHIVED:
        return memory
    company = memory.visibility == Visibility.COMPANY
    change(
        memory,
        status=MemoryStatus.PENDING if company else MemoryStatus.ACTIVE,
        layer=MemoryLayer.LONG_TERM,
    )
    record("memory.restored", actor, memory)
    return memory


@transaction.atomic
def forget_memory(actor: Actor, memory_id: UUID, *, with_older: bool = False) -> None:
    """Its words are gone for good; that there was one is kept. Once more changes nothing.

    `with_older`: also those that it has replaced, and those that they had. Raises `NotFound`.
    """
    memory = find_own_locked(actor, memory_id)
    if memory is None:
        raise NotFound
    leaving = [memory, *(_older(actor, memory) if with_older else ())]
    lock_index(leaving)
    for one in leaving:
        if one.status == MemoryStatus.FORGOTTEN:
            continue
        change(one, text="", subject="", status=MemoryStatus.FORGOTTEN)
        record("memory.forgotten", actor, one)


def require_member(actor: Actor, project_id: UUID) -> None:
    if not Membership.objects.filter(user=actor.user, project=project_id).exists():
        raise NotFound(_("You are in no such project."))


@dataclass(frozen=True, slots=True)
class _Source:
    conversation_id: UUID | None = None
    message_id: UUID | None = None


def _source_of(actor: Actor) -> _Source:
    """The conversation it was said in and the message that asked for it, as the server knows."""
    if actor.conversation_id is None:
        return _Source()
    own = Conversation.objects.for_user(actor.user).filter(pk=actor.conversation_id)
    if not own.exists():
        return _Source()
    return _Source(actor.conversation_id, _message_of(actor.conversation_id, actor.run_id))


def _message_of(conversation_id: UUID, run_id: UUID | None) -> UUID | None:
    if run_id is None:
        return None
    asked = Message.objects.filter(
        conversation_id=conversation_id, run_id=run_id, role=MessageRole.USER
    )
    return asked.values_list("pk", flat=True).first()


def _check_agent(actor: Actor, agent_id: UUID | None) -> None:
    if agent_id and not Agent.objects.for_user(actor.user).filter(pk=agent_id).exists():
        raise NotFound(_("There is no such agent for you."))


def _cleaned(
    *, text: str | None, subject: str | None, importance: int | None, layer: str | None
) -> dict[str, str | int]:
    given: dict[str, str | int] = {}
    if text is not None:
        given["text"] = values.clean_text(text)
    if subject is not None:
        given["subject"] = values.clean_subject(subject)
    if importance is not None:
        given["importance"] = values.clean_importance(importance)
    if layer is not None:
        given["layer"] = values.clean_layer(layer)
    return given


def _lock_replaceable(actor: Actor, memory_id: UUID) -> Memory:
    """Before the newer one locks the scope: rows come first."""
    older = lock_own(actor, memory_id)
    if older.status != MemoryStatus.ACTIVE:
        raise Conflict(_("Only what is still remembered can be replaced."), code="not_active")
    return older


def _replace(actor: Actor, older: Memory, newer: Memory) -> None:
    if newer.status == MemoryStatus.ACTIVE:
        supersede(actor, older, newer)
    else:
        change(older, superseded_by=newer)  # it stays until the newer one is accepted


def supersede(actor: Actor, older: Memory, newer: Memory) -> None:
    """Within the caller's transaction, which holds both rows."""
    change(older, status=MemoryStatus.SUPERSEDED, superseded_by=newer)
    record("memory.superseded", actor, older, by=str(newer.pk))


_REPLACED = (MemoryStatus.SUPERSEDED, MemoryStatus.FORGOTTEN)  # a chain goes on behind both


def _older(actor: Actor, memory: Memory) -> list[Memory]:
    """Those that it has replaced, and on; each once, whatever the rows say."""
    own = Memory.objects.for_user(actor.user).select_for_update(of=("self",))
    found: dict[UUID, Memory] = {}
    newer = [memory.pk]
    while newer:
        rows = own.filter(superseded_by__in=newer, status__in=_REPLACED)
        fresh = [one for one in rows.order_by("pk") if one.pk not in found]
        found.update({one.pk: one for one in fresh})
        newer = [one.pk for one in fresh]
    return list(found.values())
