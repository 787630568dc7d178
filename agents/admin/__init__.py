"""The operator's pages of agents; each module registers its own."""

from agents.admin.agents import AgentAdmin
from agents.admin.conversations import ConsentAdmin, ConversationAdmin, MessageAdmin
from agents.admin.memories import MemoryAdmin
from agents.admin.profiles import ModelProfileAdmin
from agents.admin.runs import RunAdmin

__all__ = [
    "AgentAdmin",
    "ConsentAdmin",
    "ConversationAdmin",
    "MemoryAdmin",
    "MessageAdmin",
    "ModelProfileAdmin",
    "RunAdmin",
]
