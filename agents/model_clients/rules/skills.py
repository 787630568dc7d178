"""What the offline model says when a skill came before its reply: what it was told, no more."""

from agents.memories.telling import memories_told
from agents.model_clients.protocol import ModelRequest
from agents.model_clients.rules.answers import Voice
from skills.instructions import DENIED, FAILED, WAITING


def said_of_skill(request: ModelRequest, voice: Voice) -> str:
    """Empty where none has said anything that it knows."""
    return next(filter(None, (_said(instruction, voice) for instruction in _told(request))), "")


def has_to_be_followed(request: ModelRequest) -> bool:
    """Whether a skill says how to answer; to follow such words takes another model."""
    return any(_is_how(instruction) for instruction in _told(request))


def _is_how(instruction: str) -> bool:
    is_outcome = instruction.startswith(DENIED) or instruction in (WAITING, FAILED)
    return bool(instruction) and not is_outcome and memories_told(instruction) is None


def _told(request: ModelRequest) -> list[str]:
    at = max((n for n, one in enumerate(request.messages) if one.role == "user"), default=0)
    return [one.content for one in request.messages[at + 1 :] if one.role == "system"]


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
