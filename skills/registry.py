"""Which skills are installed, in which versions: fixed once the apps are loaded.

An app adds definitions in `<app>/skill_definitions.py`, found the way `admin.py` is. Nothing that
a person, a client or a model sends adds one.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.utils.module_loading import autodiscover_modules

from skills.definitions import Skill
from skills.errors import UnknownSkill
from skills.manifests import PermissionRequirement
from skills.versions import precedence

_declared: list[Skill] = []  # what was registered, also what is wrong with it
_by_id: dict[str, dict[str, Skill]] = {}  # the newest version first
_by_code: dict[str, list[tuple[Skill, PermissionRequirement]]] = {}


def register[SkillT: type[Skill]](skill: SkillT) -> SkillT:
    """Class decorator. `skills.checks` says what must not be started with."""
    if not any(type(present) is skill for present in _declared):
        _declared.append(skill())
        _sort()
    return skill


def discover() -> None:
    autodiscover_modules("skill_definitions")


def _sort() -> None:
    """Of a repeated id and version the first counts; a version that is none comes last."""
    _by_id.clear()
    _by_code.clear()
    for skill in sorted(_declared, key=lambda one: _order(one.manifest.version), reverse=True):
        versions = _by_id.setdefault(skill.manifest.skill_id, {})
        versions.setdefault(skill.manifest.version, skill)
    for newest in list_skills():
        for requirement in newest.manifest.permissions:
            _by_code.setdefault(requirement.code, []).append((newest, requirement))


def _order(version: str) -> tuple[bool, object]:
    try:
        return True, precedence(version)
    except ValueError:
        return False, version


def declared_skills() -> list[Skill]:
    """All that was registered, as it came: for the checks."""
    return list(_declared)


def find_skill(skill_id: str, version: str = "") -> Skill | None:
    """That version, or else the newest."""
    versions = _by_id.get(skill_id, {})
    return versions.get(version) if version else next(iter(versions.values()), None)


def get_skill(skill_id: str, version: str = "") -> Skill:
    """Raises `UnknownSkill`."""
    skill = find_skill(skill_id, version)
    if skill is None:
        raise UnknownSkill
    return skill


def list_skills() -> list[Skill]:
    """The newest version of each, by id."""
    return [next(iter(_by_id[skill_id].values())) for skill_id in sorted(_by_id)]


def list_versions(skill_id: str) -> list[str]:
    """The newest first."""
    return list(_by_id.get(skill_id, {}))


def declaring(code: str) -> list[tuple[Skill, PermissionRequirement]]:
    """Which skills, by their newest version, want this permission, and how."""
    return list(_by_code.get(code, ()))


@contextmanager
def only(*skills: type[Skill]) -> Iterator[None]:
    """For tests: these and no others."""
    present = declared_skills()
    _declared[:] = [skill() for skill in skills]
    _sort()
    try:
        yield
    finally:
        _declared[:] = present
        _sort()
