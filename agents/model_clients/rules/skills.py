"""What the offline model says when a skill came before its reply: what it was told, no more."""

from agents.memories.telling import memories_told
from agents.model_clients.protocol import ModelRequest
from agents.model_clients.rules.answers import Voice
from skills.instructions import DENIED, FAILED, WAITING


def said_of_skill(request: ModelRequest, voice: Voice) -> str:
    """Empty where none has said anything that it knows."""
    at = max((n for n, one in enumerate(request.messages) if one.role == "user"), default=0)
    told = (one.content for one in request.messages[at + 1 :] if one.role == "system")
    return next(filter(None, (_said(instruction, voice) for instruction in told)), "")


def _said(instruction: str, voice: Voice) -> str:
    if instruction.startswith(DENIED):
        return instruction.removeprefix(DENIED)
    if instruction in (WAITING, FAILED):
        return voice.say("skill_waits" if instruction == WAITING else "skill_failed")
    memories = memories_told(instruction)
    if memories is None:
        return ""
    if not memories:
        return voice.say("skill_no_memories")
    return "\n".join([voice.say("skill_memories"), "", *memories])
