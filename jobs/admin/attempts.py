"""The attempts of a job, the one under way included, as its page shows them."""

from typing import Any

from config.base.admin_base import short_span
from jobs.admin.shown import OUTCOME_COLOURS
from jobs.enums import JobStatus
from jobs.models import Job
from jobs.selectors import AttemptSeen, list_attempts

SHOWN = 50  # the latest ones


def attempt_rows(job: Job) -> list[dict[str, Any]]:
    """The latest first."""
    return [_row_of(attempt) for attempt in reversed(list_attempts(job)[-SHOWN:])]


def _row_of(attempt: AttemptSeen) -> dict[str, Any]:
    ended, state = attempt.finished_at, attempt.outcome or JobStatus.RUNNING
    return {
        "number": attempt.number,
        "outcome": state.label,
        "colour": OUTCOME_COLOURS[state],
        "started_at": attempt.started_at,
        "lasted": short_span(ended - attempt.started_at) if ended else "",
        "worker": attempt.worker,
        "code": attempt.error_code,
        "reason": attempt.error_message,
    }
