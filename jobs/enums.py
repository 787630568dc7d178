"""The words of background jobs, and which change of status is allowed."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class JobStatus(models.TextChoices):
    SCHEDULED = "scheduled", _("scheduled")
    RUNNING = "running", _("running")
    RETRYING = "retrying", _("retrying")
    COMPLETED = "completed", _("completed")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("cancelled")


WAITING = (JobStatus.SCHEDULED, JobStatus.RETRYING)
FINISHED = (JobStatus.COMPLETED, JobStatus.FAILED, JobStatus.CANCELLED)

# What was claimed and has not begun goes back as RETRYING too, without costing an attempt: until it
# begins it shows as “retrying”, though nothing was tried yet.
TRANSITIONS: dict[JobStatus, frozenset[JobStatus]] = {
    JobStatus.SCHEDULED: frozenset({JobStatus.RUNNING, JobStatus.CANCELLED}),
    JobStatus.RETRYING: frozenset({JobStatus.RUNNING, JobStatus.CANCELLED}),
    JobStatus.RUNNING: frozenset({JobStatus.COMPLETED, JobStatus.FAILED, JobStatus.RETRYING}),
    JobStatus.FAILED: frozenset({JobStatus.RETRYING}),  # a person tries it again
    JobStatus.COMPLETED: frozenset(),
    JobStatus.CANCELLED: frozenset(),
}


class AttemptOutcome(models.TextChoices):
    COMPLETED = "completed", _("completed")
    FAILED = "failed", _("failed")
    LOST = "lost", _("lost")  # its worker died, or took longer than it may


class MissedPolicy(models.TextChoices):
    """What becomes of planned times at which nothing could run."""

    SKIP = "skip", _("skip them")
    RUN_ONCE = "run_once", _("run once, late")


class CreateBy(models.TextChoices):
    """Who may create jobs of a kind over the API."""

    NOBODY = "nobody", _("nobody")
    OPERATORS = "operators", _("operators")
    OWNERS = "owners", _("everybody, for themselves")


class CancelReason(models.TextChoices):
    """The error code of a job that was cancelled because of its series."""

    SERIES_STOPPED = "series_stopped", _("Its series was paused, or had ended, before it began.")
    SERIES_ENDED = "series_ended", _("Its series was ended.")
    SLOT_MISSED = "slot_missed", _("Its time had passed, and its series skips what it missed.")
