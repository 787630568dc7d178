"""What a reminder's job carries: made by the server, never taken from a client."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _
from pydantic import Field

from agents.models import Agent, Conversation
from config.base.actor import Actor
from config.base.errors import InvalidInput, NotFound
from config.base.models import User
from config.base.storable import is_storable
from skills.definitions import MAX_NOTE_LENGTH, BackgroundPayload


class ReminderPayload(BackgroundPayload):
    agent_name: str = Field(max_length=100)
    note: str = Field(default="", max_length=MAX_NOTE_LENGTH)


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a reminder of this agent would be written now; without a conversation, a new one."""

    agent: str
    conversation_id: UUID | None
    title: str


def list_destinations(user: User, agents: Collection[UUID]) -> list[Destination]:
    """One query."""
    latest = _latest(user).filter(agent=OuterRef("pk"))
    rows = Agent.objects.filter(pk__in=agents).order_by("name", "pk")
    places = rows.annotate(
        place=Subquery(latest.values("pk")[:1]), title=Subquery(latest.values("title")[:1])
    )
    return [Destination(*row) for row in places.values_list("name", "place", "title")]


def _latest(user: User) -> QuerySet[Conversation]:
    return Conversation.objects.for_user(user).order_by("-updated_at", "-pk")


def build_reminder(actor: Actor, agent_id: UUID, note: str = "") -> ReminderPayload:
    """In the person's latest conversation with this agent, or a new one, within a transaction.

    Raises `NotFound` for an agent that is not theirs to use, `InvalidInput` for the note.
    """
    if len(note) > MAX_NOTE_LENGTH:
        message = _("A note has at most %(n)s characters.") % {"n": MAX_NOTE_LENGTH}
        raise InvalidInput(message, code="too_long")
    if not is_storable(note):
        raise InvalidInput(_("The text holds characters that can't be stored."), code="invalid")
    agent = Agent.objects.for_user(actor.user).filter(pk=agent_id).first()
    if agent is None:
        raise NotFound(_("There is no such agent for you."))
    conversation = _latest(actor.user).filter(agent=agent).first()
    if conversation is None:
        conversation = Conversation.objects.create(
            owner=actor.user, agent=agent, title=_("Goal check-in")
        )
    return ReminderPayload(
        agent_id=agent.pk, agent_name=agent.name, conversation_id=conversation.pk, note=note.strip()
    )
