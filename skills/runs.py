"""The rows that say that a skill was used: opened once for each message, closed as it ended."""

import time
from uuid import UUID

from django.utils import timezone

from skills.context import SkillContext
from skills.definitions import Skill
from skills.enums import RunStatus
from skills.models import SkillRun


def open_run(skill: Skill, context: SkillContext, *, number: int = 0) -> SkillRun:
    """That of its first coming, where the message has come before."""
    manifest, actor = skill.manifest, context.actor
    facts = {
        "version": manifest.version,
        "kind": manifest.kind,
        "agent_id": actor.agent_id,
        "conversation_id": actor.conversation_id,
        "status": RunStatus.RUNNING,
    }
    key = {
        "user": actor.user,
        "message_id": context.message_id,
        "skill_id": manifest.skill_id,
        "number": number,
    }
    if context.message_id is None:
        return SkillRun.objects.create(**key, **facts)
    return SkillRun.objects.get_or_create(**key, defaults=facts)[0]


def close_run(
    run: SkillRun,
    status: RunStatus,
    *,
    started: float,
    error_code: str = "",
    tool_call_id: UUID | None = None,
) -> None:
    """`started` is of `time.monotonic()`."""
    run.status = status
    run.error_code = error_code[:100]
    run.tool_call_id = tool_call_id
    run.duration_ms = int((time.monotonic() - started) * 1000)
    run.finished_at = timezone.now()
    run.save(update_fields=["status", "error_code", "tool_call_id", "duration_ms", "finished_at"])
