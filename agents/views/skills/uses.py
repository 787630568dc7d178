"""When skills were last used, and how it ended."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.views.skills.catalogue import ICONS
from agents.views.skills.places import Places
from config.base.models import User
from skills.enums import RunStatus, SkillKind
from skills.models import SkillRun
from skills.registry import find_skill

SHOWN = 10

_KINDS = {
    RunStatus.RUNNING: "accent",
    RunStatus.SUCCEEDED: "ok",
    RunStatus.WAITING: "info",
    RunStatus.DENIED: "warn",
    RunStatus.INVALID: "warn",
    RunStatus.TIMEOUT: "danger",
    RunStatus.FAILED: "danger",
    RunStatus.CANCELLED: "",
    RunStatus.EXPIRED: "",
}

REASONS = {
    "permission_missing": gettext_lazy("permission missing"),
    "permission_unknown": gettext_lazy("permission missing"),
    "skill_disabled": gettext_lazy("switched off"),
    "invalid_input": gettext_lazy("what was asked for could not be read"),
    "invalid_output": gettext_lazy("its tool gave something that it can't use"),
    "skill_failed": gettext_lazy("the skill failed"),
    "tool_missing": gettext_lazy("its tool is not there"),
    "tool_error": gettext_lazy("its tool failed"),
    "timeout": gettext_lazy("it took too long"),
    "too_many_calls": gettext_lazy("too many calls"),
    "skill_unfollowed": gettext_lazy("the model could not go by it"),
    "unknown_skill": gettext_lazy("the skill is gone, or has another version"),
    "not_its_tool": gettext_lazy("the skill may not use this tool"),
    "permission_not_declared": gettext_lazy("its tool needs a permission that it does not declare"),
    "per_operation": gettext_lazy("it has to be confirmed each time"),
    "workflow_over": gettext_lazy("its workflow has ended, or has asked anew"),
    "denied": gettext_lazy("it was not allowed"),
    "quota_exceeded": gettext_lazy("a limit of calls was reached"),
    "dismissed": gettext_lazy("you dismissed it"),
    "expired": gettext_lazy("nobody decided in time"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class UseLine:
    run: SkillRun
    icon: str
    name: str  # of the skill; its id when it is gone
    badge: str
    reason: str  # in words: why it did not succeed
    agent: str
    conversation: tuple[str, str] | None


def use_lines(user: User) -> Sequence[UseLine]:
    runs = list(SkillRun.objects.for_user(user).order_by("-started_at", "-pk")[:SHOWN])
    places = Places.of(user, [run.agent_id for run in runs], [run.conversation_id for run in runs])
    return [_line(run, places) for run in runs]


def _reason(code: str) -> str:
    return str(REASONS.get(code, _("see the conversation"))) if code else ""


def _line(run: SkillRun, places: Places) -> UseLine:
    skill = find_skill(run.skill_id)
    return UseLine(
        run=run,
        icon=ICONS[SkillKind(run.kind)],
        name=str(skill.manifest.name) if skill else run.skill_id,
        reason=_reason(run.error_code),
        badge=_KINDS[RunStatus(run.status)],
        agent=places.agent(run.agent_id),
        conversation=places.link(run.conversation_id),
    )
