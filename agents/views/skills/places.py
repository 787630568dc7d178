"""The names of the agents and conversations that lines are about."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext as _

from agents.models import Agent, Conversation
from config.base.models import User


@dataclass(frozen=True, slots=True)
class Places:
    agents: Mapping[UUID, str]
    titles: Mapping[UUID, str]  # of the person's own conversations

    @classmethod
    def of(
        cls, user: User, agents: Iterable[UUID | None], conversations: Iterable[UUID | None]
    ) -> Self:
        """Two queries; None and what is gone are left out."""
        named = Agent.objects.filter(pk__in=set(filter(None, agents)))
        own = Conversation.objects.for_user(user).filter(pk__in=set(filter(None, conversations)))
        return cls(dict(named.values_list("pk", "name")), dict(own.values_list("pk", "title")))

    def agent(self, agent_id: UUID | None) -> str:
        return self.agents.get(agent_id, "") if agent_id else ""

    def link(self, conversation_id: UUID | None) -> tuple[str, str] | None:
        """Its address and title."""
        if conversation_id is None or conversation_id not in self.titles:
            return None
        address = reverse("chat:conversation", args=[conversation_id])
        return address, self.titles[conversation_id] or _("New conversation")
