"""What lower apps ask upwards (settings.AGENT_DIRECTORY)."""

from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from agents import giving
from agents.models import Agent
from agents.tool_sets import holders_of, tool_set
from config.base.actor import Actor
from config.base.models import User
from tools.directory import Holder
from tools.models import Tool


class Directory:
    def may_use(self, user: User, agent_id: UUID) -> bool:
        return Agent.objects.for_user(user).filter(pk=agent_id).exists()

    def tool_set(self, agent_id: UUID) -> Mapping[str, bool]:
        agent = Agent.objects.filter(pk=agent_id, enabled=True).first()
        return tool_set(agent) if agent else {}

    def name_of(self, agent_ids: Iterable[UUID]) -> dict[UUID, str]:
        return dict(Agent.objects.filter(pk__in=set(agent_ids)).values_list("pk", "name"))

    def all_names(self) -> dict[UUID, str]:
        return dict(Agent.objects.filter(enabled=True).order_by("name").values_list("pk", "name"))

    def holders(self, tools: Sequence[Tool]) -> Mapping[UUID, list[Holder]]:
        return holders_of(tools)

    def may_give(self, user: User) -> bool:
        return giving.may_give(user)

    def give_tools(self, actor: Actor, agent_id: UUID, tool_ids: Sequence[UUID]) -> list[Tool]:
        return giving.give_tools(actor, agent_id, tool_ids)
