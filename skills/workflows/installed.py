"""Which definition a session goes by: what is installed may be newer than what it began with."""

from skills.definitions import WorkflowSkill
from skills.models import WorkflowSession
from skills.registry import find_skill, list_versions
from skills.steps import first_open
from skills.versions import precedence


def skill_of(session: WorkflowSession) -> WorkflowSkill | None:
    """The newest of the major version that it began with; another major one is another contract."""
    major = precedence(session.version)[0]
    fit = (one for one in list_versions(session.skill_id) if precedence(one)[0] == major)
    version = next(fit, None)
    skill = find_skill(session.skill_id, version) if version else None
    return skill if isinstance(skill, WorkflowSkill) else None


def fit_to(session: WorkflowSession, skill: WorkflowSkill) -> None:
    """A minor version may have added or dropped steps; what was answered stays."""
    session.version = skill.manifest.version
    if skill.step(session.step) is None:
        session.step = first_open(skill.steps, session.answers)
