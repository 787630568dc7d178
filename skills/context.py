"""What a skill is told of the moment it serves: made by the server, data only."""

from dataclasses import dataclass
from uuid import UUID

from config.base.actor import Actor
from skills.enums import SkillScope


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillContext:
    """`actor` names the person, the agent and the conversation."""

    actor: Actor
    text: str = ""  # the message, as the person wrote it
    message_id: UUID | None = None
    scope: SkillScope = SkillScope.SINGLE_CHAT

    @property
    def agent_id(self) -> UUID | None:
        return self.actor.agent_id

    @property
    def conversation_id(self) -> UUID | None:
        return self.actor.conversation_id

    @property
    def language(self) -> str:
        return self.actor.user.language

    @property
    def time_zone(self) -> str:
        return self.actor.user.time_zone
