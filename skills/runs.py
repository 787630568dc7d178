"""The rows that say that a skill was used: opened once for each message, closed as it ended."""

import time
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from config.base.models import User
from skills.context import SkillContext
from skills.definitions import Skill
from skills.enums import RunStatus, SkillKind
from skills.models import SkillRun
from tools.enums import OPEN_STATUSES, CallStatus
from tools.models import ToolCall

UNFOLLOWED = "skill_unfollowed"
_ENDED = {
    CallStatus.SUCCESS: RunStatus.SUCCEEDED,
    CallStatus.TIMEOUT: RunStatus.TIMEOUT,
    CallStatus.DENIED: RunStatus.DENIED,
}


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
    """`started` is of `time.monotonic()`. One that waits for a person has not finished."""
    run.status = status
    run.error_code = error_code[:100]
    run.tool_call_id = tool_call_id
    run.duration_ms = int((time.monotonic() - started) * 1000)
    run.finished_at = None if status == RunStatus.WAITING else timezone.now()
    run.save(update_fields=["status", "error_code", "tool_call_id", "duration_ms", "finished_at"])


def close_left_runs(status: RunStatus, **of: Any) -> None:
    """Those that run on in the rows though their turn is over."""
    left = _unfinished().filter(**of, status=RunStatus.RUNNING)
    left.update(status=status, finished_at=Now())


def note_unfollowed(user: User, message_ids: Iterable[UUID]) -> None:
    """A model got the instruction and could not go by it; the skill was of no use then."""
    told = SkillRun.objects.for_user(user).filter(
        message_id__in=message_ids, kind=SkillKind.PROMPT, status=RunStatus.SUCCEEDED
    )
    told.update(status=RunStatus.FAILED, error_code=UNFOLLOWED)


def settle_waiting_runs(limit: int = 50) -> int:
    """As their calls ended: a person has decided them, or nobody has in time. The sweep's part."""
    ended = ToolCall.objects.filter(pk=OuterRef("tool_call_id")).exclude(status__in=OPEN_STATUSES)
    rows = _unfinished().filter(Exists(ended)).exclude(tool_call_id=None)
    waiting = rows.values_list("tool_call_id", flat=True)[:limit]
    return sum(map(settle_run, ToolCall.objects.filter(pk__in=list(waiting))))


def settle_run(call: ToolCall) -> bool:
    """Whether a use waited for this call, and ended with it now."""
    if not call.skill or call.is_open:
        return False
    status = _ENDED.get(CallStatus(call.status), RunStatus.FAILED)
    code = "" if status == RunStatus.SUCCEEDED else call.error_code[:100]
    waiting = _unfinished().filter(tool_call_id=call.pk)
    return bool(waiting.update(status=status, error_code=code, finished_at=Now()))


def _unfinished() -> QuerySet[SkillRun]:
    """A workflow outlives its cards: its use ends with its session."""
    return SkillRun.objects.filter(finished_at__isnull=True).exclude(kind=SkillKind.WORKFLOW)
