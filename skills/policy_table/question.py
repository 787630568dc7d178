"""For whom the table is, and as whom the calls would be made."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from uuid import UUID

from config.base.actor import Actor, Origin
from config.base.ids import uuid7
from config.base.models import User
from skills.manifests import Manifest
from tools.directory import agent_directory, skill_tool_set
from tools.preview import direct_actor
from tools.schemas import CallContext


@dataclass(frozen=True, kw_only=True)
class PolicyQuestion:
    """`unattended`: while nobody is there. `every_tool`: also those that the agent was not given.

    The agent has to be one that the person may use.
    """

    person: User
    agent_id: UUID
    unattended: bool = False
    every_tool: bool = False

    @cached_property
    def given_tools(self) -> Mapping[str, bool]:
        return agent_directory().tool_set(self.agent_id)

    @cached_property
    def context(self) -> CallContext:
        """As in a new conversation with the agent, in which nothing was read yet."""
        actor = replace(
            direct_actor(self.person, Origin.CHAT),
            agent_id=self.agent_id,
            conversation_id=uuid7(),
        )
        return CallContext(
            actor=actor,
            idempotency_key="",  # nothing is called
            tool_set=self.given_tools,
            unattended=self.unattended,
        )

    def context_of(self, manifest: Manifest, tool_id: str) -> CallContext:
        """As the runner would call the skill's tool."""
        actor: Actor = replace(self.context.actor, origin=Origin.SKILL)
        return replace(
            self.context,
            actor=actor,
            tool_set=skill_tool_set(tool_id, self.given_tools),
            skill=manifest.skill_id,
            skill_version=manifest.version,
        )
