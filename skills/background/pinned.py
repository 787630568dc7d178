"""Which version of which skill a job is of, whatever has been installed since."""

from typing import Any

from jobs.errors import PermanentFailure
from jobs.models import Job
from skills.definitions import BackgroundSkill
from skills.errors import NotInBackground, UnknownSkill
from skills.models import SkillJob
from skills.registry import find_skill, get_skill

type AnyBackgroundSkill = BackgroundSkill[Any]


def background_skill(skill_id: str) -> AnyBackgroundSkill:
    """Its newest version. Raises `UnknownSkill`, `NotInBackground`."""
    skill = get_skill(skill_id)
    if not isinstance(skill, BackgroundSkill):
        raise NotInBackground
    return skill


def pinned_version(job: Job) -> str | None:
    """That of its row; None while it has none yet, as it is being made."""
    return SkillJob.objects.of_job(job).values_list("version", flat=True).first()


def pinned_skill(job: Job) -> AnyBackgroundSkill:
    """Raises `PermanentFailure` (unknown_skill): also for a job that was not made by us."""
    is_new = job._state.adding  # it is asked before the job and its row are saved
    version = "" if is_new else pinned_version(job)
    skill = None if version is None else find_skill(job.kind, version)
    if not isinstance(skill, BackgroundSkill):
        raise PermanentFailure(str(UnknownSkill.default_message), code=UnknownSkill.code)
    return skill
