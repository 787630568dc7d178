"""What a reminder's job carries: made by the server, never taken from a client."""

from uuid import UUID

from django.utils.translation import gettext as _
from pydantic import Field

from agents.models import Agent, Conversation
from config.base.actor import Actor
from config.base.errors import InvalidInput, NotFound
from config.base.storable import is_storable
from skills.definitions import MAX_NOTE_LENGTH, BackgroundPayload


class ReminderPayload(BackgroundPayload):
    agent_name: str = Field(max_length=100)
    note: str = Field(default="", max_length=MAX_NOTE_LENGTH)


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
    own = Conversation.objects.for_user(actor.user).filter(agent=agent)
    conversation = own.order_by("-updated_at", "-pk").first()
    if conversation is None:
        conversation = Conversation.objects.create(
            owner=actor.user, agent=agent, title=_("Goal check-in")
        )
    return ReminderPayload(
        agent_id=agent.pk, agent_name=agent.name, conversation_id=conversation.pk, note=note.strip()
    )
