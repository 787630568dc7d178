"""Jobs that this worker can't run yet: during a rolling deploy a newer one can."""

from jobs.clock import database_now
from jobs.errors import PermanentFailure
from jobs.fence import NOW, fenced
from jobs.models import Job
from jobs.services.running import end_attempt, release_job

AGAIN_SECONDS = 60.0
LONGEST_SECONDS = 3600.0


def put_back_unknown(job: Job) -> None:
    """For a minute, and for an hour at most; then it fails. Raises `LeaseLost`.

    Gone is another matter: a worker that knows only newer versions refuses it for good.
    """
    since, now = job.unknown_since, database_now()
    if since is not None and (now - since).total_seconds() > LONGEST_SECONDS:
        error = PermanentFailure(code="job_kind_unknown")
        with fenced(job):
            end_attempt(job, error)
    elif since is None:
        release_job(job, seconds=AGAIN_SECONDS, unknown_since=NOW)
    else:
        release_job(job, seconds=AGAIN_SECONDS)
