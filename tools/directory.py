"""What must be asked upwards of agents, and which tools one has for a skill."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from django.conf import settings
from django.utils.module_loading import import_string

from config.base.actor import Actor
from config.base.models import User
from tools.models import Tool


@dataclass(frozen=True, slots=True)
class Holder:
    """An agent that has a tool; `by_default`: it was given none, and has the harmless ones."""

    agent_id: UUID
    name: str
    by_default: bool = False


class AgentDirectory(Protocol):
    """What `tools` must ask upwards; settings.AGENT_DIRECTORY names who answers."""

    def may_use(self, user: User, agent_id: UUID) -> bool: ...

    def tool_set(self, agent_id: UUID) -> Mapping[str, bool]:
        """The agent's tools by slug, and whether its row adds approval; empty if it is gone."""

    def name_of(self, agent_ids: Iterable[UUID]) -> dict[UUID, str]:
        """The names of those that are still there."""

    def all_names(self) -> dict[UUID, str]:
        """Every agent that is switched on, by name: for operators."""

    def holders(self, tools: Sequence[Tool]) -> Mapping[UUID, list[Holder]]:
        """Who has each of these tools, by the tool's id."""

    def may_give(self, user: User) -> bool:
        """Whether this operator may give tools to agents."""

    def give_tools(self, actor: Actor, agent_id: UUID, tool_ids: Sequence[UUID]) -> list[Tool]:
        """Audited; those that the agent did not have. Raises `NotPermitted`, `NotFound`."""


def agent_directory() -> AgentDirectory:
    directory: AgentDirectory = import_string(settings.AGENT_DIRECTORY)()
    return directory


def skill_tool_set(slug: str, given: Mapping[str, bool]) -> Mapping[str, bool]:
    """A skill brings its own tool, whatever the agent has; the agent's row may add approval."""
    return {slug: given.get(slug, False)}
