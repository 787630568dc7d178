"""The errors of background jobs. How one of a handler's ends its job: jobs/worker/execution.py."""

from django.utils.translation import gettext_lazy as _

from config.base.errors import (
    Bug,
    Conflict,
    GatehouseError,
    InvalidInput,
    LeaseLost,
    NotPermitted,
)


class PermanentFailure(GatehouseError):
    """Trying again can't help: a permission is missing, a skill is off, a version is gone."""

    default_message = _("This job can't run.")
    code = "permanent_failure"
    http_status = 409


class UnknownKind(InvalidInput):
    default_message = _("There is no such kind of job.")
    code = "job_kind_unknown"


class KindNotYours(NotPermitted):
    default_message = _("Jobs of this kind are not created over the API.")
    code = "job_kind_not_permitted"


class InvalidPayload(InvalidInput):
    default_message = _("The payload does not fit this kind of job.")
    code = "job_payload_invalid"


class InvalidRecurrence(InvalidInput):
    default_message = _("This is no recurrence that can be planned.")
    code = "job_recurrence_invalid"


class JobRunning(Conflict):
    default_message = _("The job is running already.")
    code = "job_running"


class JobFinished(Conflict):
    default_message = _("The job has ended.")
    code = "job_finished"


class JobNotFailed(Conflict):
    default_message = _("Only a failed job can be tried again.")
    code = "job_not_failed"


class SeriesEnded(Conflict):
    default_message = _("The series has ended; make a new one.")
    code = "job_series_ended"


class JobLeaseLost(LeaseLost):
    """Somebody else may have this very job: nothing more is written for it.

    Any other `LeaseLost` of a handler, of a run that it drives, say, is a failure like others.
    """

    default_message = LeaseLost.default_message


class JobTimedOut(BaseException):
    """A handler took longer than its hard limit. No `Exception`: a broad except must not eat it."""


class IllegalTransition(Bug):
    code = "job_transition_illegal"


class WorkerLost(GatehouseError):
    """How an attempt ends whose lease ran out."""

    default_message = _("The worker died, or the job took longer than it may.")
    code = "worker_lost"


class HandlerFailed(GatehouseError):
    """An error that a handler did not foresee; its attempt failed."""

    default_message = _("The job failed.")
    code = "handler_failed"


class HandlerTimedOut(HandlerFailed):
    default_message = _("It took longer than it may.")
    code = "timed_out"


class OwnerInactive(PermanentFailure):
    default_message = _("Its owner may not sign in.")
    code = "job_owner_inactive"


class HandlerVersionGone(PermanentFailure):
    default_message = _("It was made for a version of its kind that is gone.")
    code = "handler_version_gone"


class KindGone(GatehouseError):
    default_message = _("For an hour no worker has known this kind of job.")
    code = "job_kind_unknown"


class PayloadOutdated(PermanentFailure):
    default_message = _("Its payload does not fit its kind any more.")
    code = "job_payload_invalid"


class PermissionUndecided(PermanentFailure):
    """A permission hook failed in a way that it did not foresee: then nothing is permitted."""

    default_message = _("Whether it may run could not be told.")
    code = "permission_undecided"


class TooFarAhead(InvalidInput):
    default_message = _("At most a year ahead.")
    code = "too_late"


class ResultUnstorable(PermanentFailure):
    """A handler's mistake: the same would come again."""

    default_message = _("The job's result can't be stored.")
    code = "job_result_unstorable"


class TooManyJobs(Conflict):
    default_message = _("You have too many jobs that wait. Cancel some, or wait until they ran.")
    code = "job_too_many"


class TooManySeries(Conflict):
    default_message = _("You have too many series of jobs. End some first.")
    code = "job_too_many_series"
