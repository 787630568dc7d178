"""Everything that changes the state of jobs; nobody else does."""

from jobs.services.decisions import cancel_job, pause_kind, resume_kind, retry_job, run_job_now
from jobs.services.enqueue import enqueue, plan_job, validate_payload
from jobs.services.recovery import recover_lost_jobs
from jobs.services.running import complete_job, fail_attempt, release_job, start_job
from jobs.services.unknown import put_back_unknown

__all__ = [
    "cancel_job",
    "complete_job",
    "enqueue",
    "fail_attempt",
    "pause_kind",
    "plan_job",
    "put_back_unknown",
    "recover_lost_jobs",
    "release_job",
    "resume_kind",
    "retry_job",
    "run_job_now",
    "start_job",
    "validate_payload",
]
