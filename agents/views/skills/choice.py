"""For whom the page is: all agents, or one of those that the person may use."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlencode
from uuid import UUID

from django.urls import reverse

from agents.models import Agent
from agents.selectors import list_agents
from config.base.models import User
from skills.errors import AgentNotYours


def read_agent_id(typed: str) -> UUID | None:
    """Nothing: all agents. Raises `AgentNotYours` for what is no id."""
    if not typed:
        return None
    try:
        return UUID(typed)
    except ValueError as error:
        raise AgentNotYours from error


@dataclass(frozen=True, slots=True)
class Choice:
    agents: Mapping[UUID, Agent]  # by name
    agent: Agent | None  # None: all agents

    @classmethod
    def read(cls, user: User, typed: str) -> Self:
        """Raises `AgentNotYours`."""
        agents = {agent.pk: agent for agent in list_agents(user).order_by("name", "pk")}
        agent_id = read_agent_id(typed)
        if agent_id is not None and agent_id not in agents:
            raise AgentNotYours
        return cls(agents, agents[agent_id] if agent_id else None)

    @property
    def agent_id(self) -> UUID | None:
        return self.agent.pk if self.agent else None


def page_url(agent_id: UUID | None = None, anchor: str = "") -> str:
    query = f"?{urlencode({'agent': str(agent_id)})}" if agent_id else ""
    return f"{reverse('skills:page')}{query}{anchor}"
