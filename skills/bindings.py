"""Switching skills on and off; each change with its event in the same transaction."""

from uuid import UUID

from django.db import transaction

from config.base import audit
from config.base.actor import Actor
from config.base.models import User
from skills.given import given_for_skill
from skills.grants import check_agent
from skills.models import SkillBinding
from skills.registry import find_skill, get_skill


@transaction.atomic
def switch_skill(
    actor: Actor, skill_id: str, *, enabled: bool, agent_id: UUID | None = None
) -> SkillBinding:
    """On or off, for one agent or (None) for all. Twice is once.

    Raises `UnknownSkill`, `AgentNotYours`.
    """
    manifest = get_skill(skill_id).manifest
    check_agent(actor.user, agent_id)
    binding, created = SkillBinding.objects.select_for_update().get_or_create(
        user=actor.user, skill_id=skill_id, agent_id=agent_id, defaults={"enabled": enabled}
    )
    if not created and binding.enabled == enabled:
        return binding
    if not created:
        binding.enabled = enabled
        binding.save(update_fields=["enabled", "updated_at"])
    _record("skill.enabled" if enabled else "skill.disabled", actor, binding, manifest.version)
    return binding


@transaction.atomic
def forget_switch(actor: Actor, skill_id: str, *, agent_id: UUID | None = None) -> None:
    """What counts then: the switch for all agents, or what the manifest says."""
    rows = SkillBinding.objects.for_user(actor.user).filter(skill_id=skill_id, agent_id=agent_id)
    for binding in rows.select_for_update():
        key = binding.pk
        binding.delete()
        binding.pk = key
        _record("skill.switch_forgotten", actor, binding)


def is_enabled(user: User, skill_id: str, agent_id: UUID | None = None) -> bool:
    """Whether the skill is there and switched on where this agent acts; one query."""
    skill = find_skill(skill_id)
    if skill is None:
        return False
    return given_for_skill(user, agent_id, skill.manifest).is_enabled(skill.manifest)


def _record(action: str, actor: Actor, binding: SkillBinding, version: str = "") -> None:
    audit.record(
        action,
        audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("skill_binding", binding.pk),
        skill=binding.skill_id,
        skill_version=version,
        scope="agent" if binding.agent_id else "user",
        metadata={"agent": binding.agent_id and str(binding.agent_id)},
    )
