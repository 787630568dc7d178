"""The operator's pages of agents; each module registers its own."""

from agents.admin.agents import AgentAdmin
from agents.admin.conversations import ConversationAdmin, MessageAdmin
from agents.admin.profiles import ModelProfileAdmin
from agents.admin.runs import RunAdmin

__all__ = ["AgentAdmin", "ConversationAdmin", "MessageAdmin", "ModelProfileAdmin", "RunAdmin"]
