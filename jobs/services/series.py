"""What recurs: making, pausing and ending a series, and planning its next job."""

from jobs.models import Job


def plan_next_of(job: Job) -> None:
    """In the transaction in which a job of a series leaves its waiting: the next one, if any."""
