from agents.models.agent import Agent, AgentTool, ModelProfile
from agents.models.consent import Consent
from agents.models.conversation import Conversation, Message, MessageRole
from agents.models.memory import Memory, MemoryLayer, MemoryStatus, Visibility
from agents.models.run import ResponseStatus, Run, RunEvent, RunSkill, RunStatus, RunStep

__all__ = [
    "Agent",
    "AgentTool",
    "Consent",
    "Conversation",
    "Memory",
    "MemoryLayer",
    "MemoryStatus",
    "Message",
    "MessageRole",
    "ModelProfile",
    "ResponseStatus",
    "Run",
    "RunEvent",
    "RunSkill",
    "RunStatus",
    "RunStep",
    "Visibility",
]
