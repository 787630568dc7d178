"""The call that a skill makes of its tool, through the pipeline like any other."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from config.base.actor import Origin
from skills.context import SkillContext
from skills.definitions import ToolSkill, WorkflowSkill
from tools.directory import agent_directory, skill_tool_set
from tools.models import Tool
from tools.outcomes import CallError, CallOutcome
from tools.pipeline import call_tool, refuse_call
from tools.schemas import CallContext, still_waited_for


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """What the turn knows that a call needs: see `CallContext`."""

    provenance: frozenset[str] = frozenset()
    user_urls: tuple[str, ...] = ()
    fence: Callable[[], None] | None = None
    look_up: Callable[[], None] = still_waited_for


def call_for_skill(
    skill: ToolSkill[Any, Any] | WorkflowSkill,
    arguments: Mapping[str, Any],
    context: SkillContext,
    caller: Caller,
    *,
    origin: Origin,
    key: str,
    timeout_ms: int | None = None,
) -> CallOutcome:
    """`key`: the ledger's. Raises `LeaseLost`, `IdempotencyKeyReused`, `Conflict`."""
    actor = replace(context.actor, origin=origin)
    given = agent_directory().tool_set(actor.agent_id) if actor.agent_id else {}
    call = CallContext(
        actor=actor,
        idempotency_key=key,
        tool_set=skill_tool_set(skill.tool_id, given),
        provenance=caller.provenance,
        user_urls=caller.user_urls,
        skill=skill.manifest.skill_id,
        skill_version=skill.manifest.version,
        timeout_ms=timeout_ms,
        fence=caller.fence,
        look_up=caller.look_up,
    )
    tool = Tool.objects.filter(slug=skill.tool_id, type=skill.tool_id).first()
    if tool is None:
        missing = CallError("tool_missing", _("The tool is not there."))
        return refuse_call(skill.tool_id, dict(arguments), call, missing)
    return call_tool(tool, dict(arguments), call)
