"""Whether reminders can be planned, by which agents, and else why not and where to change it."""

from collections.abc import Set
from dataclasses import dataclass, replace
from uuid import UUID

from django.utils.translation import gettext as _

from agents.skill_definitions import CHECK_IN
from agents.views.skills.choice import Choice
from skills.given import Given
from skills.manifests import Manifest
from skills.policy import PolicyDecision, decide_skill, permission_anchor
from skills.registry import get_skill


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """`reason`, `anchor` and `action`, a link to the switch, say what is in the way."""

    permitted: Set[UUID]
    agent_id: UUID | None  # chosen to begin with
    reason: str = ""
    anchor: str = ""
    action: str = ""


def offer_of(given: Given, choice: Choice) -> Offer:
    """With an agent chosen, by that one; else by any that may."""
    manifest = get_skill(CHECK_IN).manifest
    decisions = {key: decide_skill(manifest, given.for_agent(key)) for key in choice.agents}
    permitted = {key for key, decision in decisions.items() if decision.allowed}
    wanted = choice.agent_id or next((key for key in choice.agents if key in permitted), None)
    if wanted in permitted:
        return Offer(permitted=permitted, agent_id=wanted)
    if not choice.agents:
        reason = _("There is no agent that you may use.")
        return Offer(permitted=permitted, agent_id=None, reason=reason)
    agent_id = choice.agent_id or next(iter(choice.agents))
    return _refused(manifest, decisions[agent_id], Offer(permitted=permitted, agent_id=agent_id))


def _refused(manifest: Manifest, decision: PolicyDecision, offer: Offer) -> Offer:
    if not decision.missing:
        said = _("The skill “%(skill)s” is switched off.") % {"skill": manifest.name}
        anchor, action = f"#skill-{manifest.skill_id}", _("Switch it on")
        return replace(offer, reason=said, anchor=anchor, action=action)
    requirement = manifest.requirement(decision.missing[0])
    assert requirement is not None
    said = _("The permission “%(permission)s” is missing.") % {"permission": requirement.label}
    anchor = f"#{permission_anchor(manifest, requirement.code)}"
    return replace(offer, reason=said, anchor=anchor, action=_("Give it"))
