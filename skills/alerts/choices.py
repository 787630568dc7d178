"""What a rule can be about: the skills, the tools and the reasons that there are."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from skills.models import AuditEvent
from skills.registry import list_skills
from skills.selectors import list_denials
from tools.models import Tool

type Choice = tuple[str, str]

# With which the gates, and the policy of skills, refuse.
REASONS = frozenset(
    {
        "consent_unattended",
        "day_quota_exceeded",
        "gate_failed",
        "no_gates",
        "not_in_tool_set",
        "not_its_tool",
        "per_operation",
        "permission_missing",
        "permission_not_declared",
        "permission_unknown",
        "risk_refused",
        "run_quota_exceeded",
        "skill_disabled",
        "tool_disabled",
        "tool_quota_exceeded",
        "unattended_host",
        "unattended_request",
        "unattended_send",
        "unknown_skill",
        "workflow_over",
    }
)
LOOKED_AT = 2000  # newest refusals, whose reasons are offered too


def tool_choices(kept: str) -> list[Choice]:
    named = Tool.objects.order_by("sort_order", "name", "slug").values_list("slug", "name")
    return _with_kept([(slug, f"{name} ({slug})") for slug, name in named], kept)


def skill_choices(kept: str) -> list[Choice]:
    manifests = [skill.manifest for skill in list_skills()]
    named = [(one.skill_id, f"{one.name} ({one.skill_id})") for one in manifests]
    return _with_kept(named, kept)


def reason_choices(kept: str) -> list[Choice]:
    """Those of gates that were added here are known by what they have refused."""
    codes = sorted({*REASONS, *_seen()})
    return _with_kept([(code, code) for code in codes], kept)


def _seen() -> Iterable[str]:
    newest: Iterable[AuditEvent] = list_denials().order_by("-pk").only("reason_code")[:LOOKED_AT]
    return {event.reason_code for event in newest if event.reason_code}


def _with_kept(choices: list[Choice], kept: str) -> list[Choice]:
    """What a rule says already stays, whatever became of it."""
    gone = []
    if kept and kept not in dict(choices):
        gone = [(kept, _("%(name)s (gone)") % {"name": kept})]
    return [("", "–"), *gone, *choices]
