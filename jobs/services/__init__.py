"""Everything that changes the state of jobs; nobody else does."""

from jobs.services.decisions import cancel_job, pause_kind, resume_kind, retry_job, run_job_now
from jobs.services.ending import fail_attempt, release_job
from jobs.services.enqueue import enqueue, validate_payload
from jobs.services.planning import plan_missing_jobs, plan_next_of
from jobs.services.recovery import recover_lost_jobs
from jobs.services.requesting import MOST_AHEAD, request_job, require_room
from jobs.services.running import Ready, complete_job, may_be_followed, may_follow, start_job
from jobs.services.series import (
    create_series,
    end_series,
    pause_series,
    resume_series,
)
from jobs.services.shipped import ship_series
from jobs.services.unknown import put_back_unknown

__all__ = [
    "MOST_AHEAD",
    "Ready",
    "cancel_job",
    "complete_job",
    "create_series",
    "end_series",
    "enqueue",
    "fail_attempt",
    "may_be_followed",
    "may_follow",
    "pause_kind",
    "pause_series",
    "plan_missing_jobs",
    "plan_next_of",
    "put_back_unknown",
    "recover_lost_jobs",
    "release_job",
    "request_job",
    "require_room",
    "resume_kind",
    "resume_series",
    "retry_job",
    "run_job_now",
    "ship_series",
    "start_job",
    "validate_payload",
]
