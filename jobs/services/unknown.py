"""Jobs that this worker can't run yet: during a rolling deploy a newer one can."""

from jobs.errors import KindGone
from jobs.fence import fenced
from jobs.models import Job
from jobs.services.ending import put_off


def put_back_unknown(job: Job) -> None:
    """For a minute, and for an hour at most; then it fails. Raises `JobLeaseLost`.

    Gone is another matter: a worker that knows only newer versions refuses it for good.
    """
    with fenced(job):
        put_off(job, KindGone(), {})
