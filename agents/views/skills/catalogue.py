"""The installed skills, as they stand for the person: on or off, and why; permitted or not."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from agents.views.skills.choice import Choice
from skills.enums import SkillKind
from skills.given import Given
from skills.manifests import Manifest
from skills.policy import PolicyDecision, decide_skill, permission_anchor
from skills.registry import list_skills

ICONS = {
    SkillKind.PROMPT: "edit",
    SkillKind.WORKFLOW: "check-circle",
    SkillKind.TOOL: "tool",
    SkillKind.BACKGROUND: "clock",
}
_MOST_PHRASES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillLine:
    """`has_own_switch`: the person has said it for the chosen agent, or (none chosen) for all."""

    manifest: Manifest
    icon: str
    phrases: Sequence[str]
    enabled: bool
    why: str
    has_own_switch: bool
    exceptions: Sequence[str]  # agents for which it is the other way round
    decision: PolicyDecision
    missing: Sequence[tuple[str, str]]  # anchor and name of permissions


def skill_lines(given: Given, choice: Choice) -> list[SkillLine]:
    here = given.for_agent(choice.agent_id)
    return [_line(one.manifest, given, here, choice) for one in list_skills()]


def _line(manifest: Manifest, given: Given, here: Given, choice: Choice) -> SkillLine:
    enabled, decision = here.is_enabled(manifest), decide_skill(manifest, here)
    own = (manifest.skill_id, choice.agent_id) in {(skill, at) for skill, at, _on in here.switches}
    wanted = [one for one in manifest.permissions if one.code in decision.missing]
    return SkillLine(
        manifest=manifest,
        icon=ICONS[manifest.kind],
        phrases=_phrases(manifest),
        enabled=enabled,
        why=_why(manifest, here, choice, own=own),
        has_own_switch=own,
        exceptions=[] if choice.agent else _exceptions(manifest, given, choice, enabled=enabled),
        decision=decision,
        missing=[(permission_anchor(manifest, one.code), str(one.label)) for one in wanted],
    )


def _phrases(manifest: Manifest) -> Sequence[str]:
    """In the person's language, if it has some."""
    phrases = manifest.matchers.phrases
    return phrases.get(get_language() or "en", phrases.get("en", ()))[:_MOST_PHRASES]


def _why(manifest: Manifest, here: Given, choice: Choice, *, own: bool) -> str:
    if own:
        return _("Set by you for this agent.") if choice.agent else _("Set by you.")
    if any(skill == manifest.skill_id for skill, _at, _on in here.switches):
        return _("Same as for all agents.")
    return _("On by default.")


def _exceptions(
    manifest: Manifest, given: Given, choice: Choice, *, enabled: bool
) -> Sequence[str]:
    said = {at: on for skill, at, on in given.switches if skill == manifest.skill_id and at}
    return [one.name for key, one in choice.agents.items() if said.get(key, enabled) != enabled]
