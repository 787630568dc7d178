"""Who acts. Made by the server only; nothing in a request or a model's output can name an actor."""

import uuid
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from config.base.models import User


class Origin(StrEnum):
    """Where a call came from."""

    CHAT = "chat"
    PLANNER = "planner"
    SKILL = "skill"
    JOB = "job"
    WORKFLOW = "workflow"
    API = "api"
    ADMIN = "admin"
    MCP = "mcp"
    PAGE = "page"  # a person in our own pages


@dataclass(frozen=True, slots=True)
class Actor:
    """A person, and the agent that acts for them, if one does."""

    user: "User"
    origin: Origin
    role: str = ""
    agent_id: uuid.UUID | None = None
    conversation_id: uuid.UUID | None = None
    run_id: uuid.UUID | None = None

    @property
    def is_agent(self) -> bool:
        return self.agent_id is not None

    @property
    def label(self) -> str:
        """How audit names this actor: `user:<id>`, `operator:<id>` for staff."""
        kind = "operator" if self.user.is_staff else "user"
        return f"{kind}:{self.user.pk}"
