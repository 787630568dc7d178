"""How many people have a skill on and have permitted it: figures for operators, in four queries
however many skills and people there are.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db.models import Count, Q

from config.base.models import User
from skills.manifests import Manifest
from skills.models import PermissionGrant, SkillBinding
from skills.versions import is_covered_by

_OF_ACTIVE = Q(user__is_active=True)


@dataclass(frozen=True, slots=True)
class Usage:
    """Active people only. `on` and `off` are for all agents; `exceptions` have said otherwise for
    single ones.
    """

    on: int
    off: int
    exceptions: int
    granted: dict[str, int] = field(default_factory=dict)  # people by code, for any agent


def usage_of(manifests: Sequence[Manifest]) -> list[Usage]:
    people = User.objects.filter(is_active=True).count()
    switched, granted = _switched(), _granted(manifests)
    return [
        _usage(manifest, people, switched.get(manifest.skill_id, (0, 0, 0)), grants)
        for manifest, grants in zip(manifests, granted, strict=True)
    ]


def _usage(
    manifest: Manifest, people: int, switched: tuple[int, int, int], granted: dict[str, int]
) -> Usage:
    """Who has said nothing has it as the manifest says."""
    on, off, exceptions = switched
    silent = people - on - off
    if manifest.enabled:
        return Usage(on + silent, off, exceptions, granted)
    return Usage(on, off + silent, exceptions, granted)


def _switched() -> dict[str, tuple[int, int, int]]:
    """Of each skill: people who have it on, who have it off, and who differ for single agents."""
    everywhere = Q(agent_id=None)
    rows = SkillBinding.objects.filter(_OF_ACTIVE).values("skill_id").order_by()
    counted = rows.annotate(
        on=Count("pk", filter=everywhere & Q(enabled=True)),
        off=Count("pk", filter=everywhere & Q(enabled=False)),
        exceptions=Count("user", filter=~everywhere, distinct=True),
    )
    columns = ("skill_id", "on", "off", "exceptions")
    return {skill_id: (on, off, some) for skill_id, on, off, some in counted.values_list(*columns)}


def _granted(manifests: Sequence[Manifest]) -> list[dict[str, int]]:
    """People by code, for each manifest; a grant of an older major version is none."""
    active = PermissionGrant.objects.active().filter(_OF_ACTIVE)
    present = set(active.order_by().values_list("skill_id", "version").distinct())
    asked = {
        f"n{row}_{column}": Count("user", distinct=True, filter=_holding(manifest, code, present))
        for row, manifest in enumerate(manifests)
        for column, code in enumerate(manifest.codes)
    }
    counts = active.aggregate(**asked) if asked else {}
    return [
        {code: counts[f"n{row}_{column}"] for column, code in enumerate(manifest.codes)}
        for row, manifest in enumerate(manifests)
    ]


def _holding(manifest: Manifest, code: str, present: set[tuple[str, str]]) -> Q:
    versions = [
        version
        for skill_id, version in present
        if skill_id == manifest.skill_id and is_covered_by(manifest.version, version)
    ]
    return Q(skill_id=manifest.skill_id, code=code, version__in=versions)
