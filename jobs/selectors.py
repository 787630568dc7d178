"""Reads that more than one caller needs."""

from uuid import UUID

from config.base.errors import NotFound
from config.base.models import User
from jobs.models import Job


def get_job(user: User, job_id: UUID | str) -> Job:
    """Raises `NotFound`: also for what is somebody else's."""
    job = Job.objects.for_user(user).select_related("owner", "series").filter(pk=job_id).first()
    if job is None:
        raise NotFound
    return job
