"""The attempts of a job, the one under way included, as its page shows them."""

from typing import Any

from jobs.admin.shown import OUTCOME_COLOURS, in_words
from jobs.enums import JobStatus
from jobs.models import Job, JobAttempt

SHOWN = 50  # the latest ones


def attempt_rows(job: Job) -> list[dict[str, Any]]:
    ended = [_row_of(attempt) for attempt in job.attempt_rows.order_by("-number")[:SHOWN]]
    return [*_under_way(job), *ended]


def _row_of(attempt: JobAttempt) -> dict[str, Any]:
    return {
        "number": attempt.number,
        "outcome": attempt.get_outcome_display(),
        "colour": OUTCOME_COLOURS[attempt.outcome],
        "started_at": attempt.started_at,
        "lasted": in_words(attempt.finished_at - attempt.started_at),
        "worker": attempt.worker,
        "code": attempt.error_code,
        "reason": attempt.error_message,
    }


def _under_way(job: Job) -> list[dict[str, Any]]:
    if job.status != JobStatus.RUNNING or job.started_at is None:
        return []
    return [
        {
            "number": job.attempts,
            "outcome": job.get_status_display(),
            "colour": OUTCOME_COLOURS[JobStatus.RUNNING],
            "started_at": job.started_at,
            "worker": job.lease_owner,
        }
    ]
