"""What a person has given: the grants and the switches that count where an agent acts."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import BooleanField, CharField, Value

from config.base.models import User
from skills.manifests import Manifest
from skills.models import PermissionGrant, SkillBinding

_ANY: Any = Value(None, output_field=BooleanField(null=True))
_EMPTY: Any = Value("", output_field=CharField())


@dataclass(frozen=True, slots=True)
class HeldGrant:
    """An active grant; without an agent it counts everywhere."""

    id: UUID
    skill_id: str
    code: str
    version: str
    agent_id: UUID | None


@dataclass(frozen=True, slots=True)
class Given:
    grants: tuple[HeldGrant, ...] = ()
    switches: tuple[tuple[str, UUID | None, bool], ...] = ()  # skill, agent, on or off

    def is_enabled(self, manifest: Manifest) -> bool:
        """As the switch for this agent says, or the one for all agents, or the manifest."""
        said = {agent: on for skill, agent, on in self.switches if skill == manifest.skill_id}
        everywhere = said.pop(None, manifest.enabled)
        return next(iter(said.values()), everywhere)

    def grants_of(self, code: str, skill_id: str) -> Iterator[HeldGrant]:
        """The one for this agent before the one for all."""
        fit = (one for one in self.grants if one.code == code and one.skill_id == skill_id)
        yield from sorted(fit, key=lambda one: one.agent_id is None)


def given_for_skill(user: User, agent_id: UUID | None, manifest: Manifest) -> Given:
    """What decides about one skill, by one query."""
    grants = PermissionGrant.objects.for_user(user).active().reaching(agent_id)
    grants = grants.filter(skill_id=manifest.skill_id, code__in=manifest.codes)
    switches = SkillBinding.objects.for_user(user).reaching(agent_id)
    return _read(grants, switches.filter(skill_id=manifest.skill_id))


def given_for_codes(user: User, agent_id: UUID | None, codes: Iterable[str]) -> Given:
    """What decides about a call that is no skill's, by one query."""
    grants = PermissionGrant.objects.for_user(user).active().reaching(agent_id)
    return Given(_grants(grants.filter(code__in=tuple(codes)).values_list(*_GRANT)))


def all_given(user: User, agent_id: UUID | None) -> Given:
    """Everything that counts for this person and agent, by one query: for tables and catalogues."""
    grants = PermissionGrant.objects.for_user(user).active().reaching(agent_id)
    return _read(grants, SkillBinding.objects.for_user(user).reaching(agent_id))


_GRANT = ("id", "skill_id", "code", "version", "agent_id")


def _read(grants: Any, switches: Any) -> Given:
    said = switches.values_list("id", "skill_id", _EMPTY, _EMPTY, "agent_id", "enabled")
    held = grants.values_list(*_GRANT, _ANY)
    rows = list(held.union(said, all=True))
    return Given(
        grants=_grants(row[:5] for row in rows if row[5] is None),
        switches=tuple((row[1], row[4], bool(row[5])) for row in rows if row[5] is not None),
    )


def _grants(rows: Iterable[tuple[Any, ...]]) -> tuple[HeldGrant, ...]:
    return tuple(HeldGrant(*row) for row in rows)
