from uuid import UUID

from config.base.errors import NotFound
from config.base.models import User
from jobs.models import Job
from jobs.models.job import JobQuerySet
from skills.enums import SkillKind
from skills.registry import list_skills


def background_kinds() -> list[str]:
    """A skill's jobs are of a kind that has its id."""
    return [
        one.manifest.skill_id for one in list_skills() if one.manifest.kind == SkillKind.BACKGROUND
    ]


def list_background_jobs(user: User) -> JobQuerySet:
    """One's own, for operators too; with what is known of each as a skill's."""
    rows = Job.objects.filter(owner=user, kind__in=background_kinds())
    return rows.select_related("series").prefetch_related("skill_job", "series__skill_job")


def get_background_job(user: User, job_id: UUID) -> Job:
    """Raises `NotFound`: also for what is somebody else's."""
    job = list_background_jobs(user).filter(pk=job_id).first()
    if job is None:
        raise NotFound
    return job
