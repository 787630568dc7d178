from jobs.models.attempt import JobAttempt
from jobs.models.control import PausedKind, Wake, WorkerBeat
from jobs.models.job import MAX_ERROR_LENGTH, MAX_KEY_LENGTH, Job
from jobs.models.series import JobSeries, MissedSlots

__all__ = [
    "MAX_ERROR_LENGTH",
    "MAX_KEY_LENGTH",
    "Job",
    "JobAttempt",
    "JobSeries",
    "MissedSlots",
    "PausedKind",
    "Wake",
    "WorkerBeat",
]
