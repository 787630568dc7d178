"""What the installed skills want to be permitted, and what the person has granted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agents.views.skills.choice import Choice
from skills.enums import ApprovalMode
from skills.given import Given, HeldGrant
from skills.manifests import Manifest, PermissionRequirement
from skills.policy import covering_grant, permission_anchor
from skills.registry import list_skills


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionLine:
    manifest: Manifest
    requirement: PermissionRequirement
    anchor: str
    is_granted: bool
    is_for_all: bool  # an agent was chosen, and the grant is for all of them
    old_version: str  # of a grant that does not cover the skill any more
    others: Sequence[str]  # agents that have one of their own; only where all are chosen

    @property
    def is_grantable(self) -> bool:
        return self.requirement.approval == ApprovalMode.PERSISTENT

    @property
    def is_asked_each_time(self) -> bool:
        return self.requirement.approval == ApprovalMode.PER_OPERATION


def permission_lines(given: Given, choice: Choice) -> list[PermissionLine]:
    here = given.for_agent(choice.agent_id)
    wanted = (
        _line(skill.manifest, one, given, here, choice)
        for skill in list_skills()
        for one in skill.manifest.permissions
    )
    return sorted(wanted, key=lambda line: line.requirement.code)


def _line(
    manifest: Manifest, one: PermissionRequirement, given: Given, here: Given, choice: Choice
) -> PermissionLine:
    grant, held = _grant(manifest, one, here), list(here.grants_of(one.code, manifest.skill_id))
    return PermissionLine(
        manifest=manifest,
        requirement=one,
        anchor=permission_anchor(manifest, one.code),
        is_granted=grant is not None,
        is_for_all=bool(choice.agent and grant and grant.agent_id is None),
        old_version=held[0].version if held and grant is None else "",
        others=[] if choice.agent else list(_others(manifest, one, given, choice)),
    )


def _grant(manifest: Manifest, one: PermissionRequirement, here: Given) -> HeldGrant | None:
    """The one for all agents, if there is one: to take back the other would change nothing."""
    everywhere = covering_grant(manifest, one.code, here.for_agent(None))
    return everywhere or covering_grant(manifest, one.code, here)


def _others(
    manifest: Manifest, one: PermissionRequirement, given: Given, choice: Choice
) -> Iterator[str]:
    held = {grant.agent_id for grant in given.grants_of(one.code, manifest.skill_id)}
    return (agent.name for key, agent in choice.agents.items() if key in held)
