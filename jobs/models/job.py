"""A job: the one truth about a piece of background work."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.lookups import Exact, GreaterThan, In
from django.utils.translation import gettext_lazy as _

from config.base.ids import uuid7
from config.base.leases import Leased
from jobs.enums import FINISHED, WAITING, JobStatus
from jobs.models.series import JobSeries

if TYPE_CHECKING:
    from config.base.models import User

MAX_ERROR_LENGTH = 2000
MAX_KEY_LENGTH = 255


class JobQuerySet(models.QuerySet["Job"]):
    def for_user(self, user: "User") -> "JobQuerySet":
        """One's own; for operators who may see jobs, everybody's and the product's."""
        return self if user.is_staff and user.has_perm("jobs.view_job") else self.filter(owner=user)

    def changeable_by(self, user: "User") -> "JobQuerySet":
        may = user.is_staff and user.has_perm("jobs.change_job")
        return self if may else self.filter(owner=user)

    def waiting(self) -> "JobQuerySet":
        return self.filter(status__in=WAITING)


def _is_set_while(name: str, statuses: Collection[JobStatus]) -> Exact:
    """The column has a value in these statuses, and in no other."""
    return Exact(_is_set(name), In(F("status"), [one.value for one in statuses]))


def _is_set(name: str) -> models.Func:
    """Django's own `isnull` can't be compared when a constraint is validated without a table."""
    template = "(%(expressions)s IS NOT NULL)"
    return models.Func(F(name), template=template, output_field=models.BooleanField())


class Job(Leased):
    """Columns that mean nothing in a status are null in it: what is due and what may have been
    lost are then found by partial indexes on `IS NOT NULL`, which bound parameters can't defeat.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    kind = models.CharField(_("kind"), max_length=100)
    handler_version = models.PositiveIntegerField(_("handler version"), default=1)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,  # the product's own work
        on_delete=models.CASCADE,
        related_name="jobs",
        db_index=False,
        verbose_name=_("owner"),
    )
    payload = models.JSONField(_("payload"), default=dict)
    status = models.CharField(
        _("status"), max_length=10, choices=JobStatus, default=JobStatus.SCHEDULED
    )
    priority = models.SmallIntegerField(
        _("priority"), default=0, help_text=_("Of jobs that are due, the higher one goes first.")
    )
    scheduled_at = models.DateTimeField(_("scheduled for"))
    next_attempt_at = models.DateTimeField(_("next attempt"), null=True)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    max_attempts = models.PositiveSmallIntegerField(_("attempts at most"), default=3)
    started_at = models.DateTimeField(_("started"), null=True)  # when the handler began
    unknown_since = models.DateTimeField(null=True)  # it has been put off: its kind unknown, say
    idempotency_key = models.CharField(_("idempotency key"), max_length=MAX_KEY_LENGTH, blank=True)
    series = models.ForeignKey(
        JobSeries,
        null=True,
        on_delete=models.CASCADE,
        related_name="jobs",
        db_index=False,
        verbose_name=_("series"),
    )
    planned_at = models.DateTimeField(_("planned for"), null=True)  # its slot in the series
    last_error_code = models.CharField(_("error code"), max_length=100, blank=True)
    last_error_message = models.CharField(_("error"), max_length=MAX_ERROR_LENGTH, blank=True)
    result = models.JSONField(_("result"), null=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    finished_at = models.DateTimeField(_("finished"), null=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        verbose_name = _("job")
        verbose_name_plural = _("jobs")
        indexes = [
            # Priority orders within what is due: with it in front, a claim reads past every
            # future job (docs/measurements/jobs.md).
            models.Index(
                fields=["next_attempt_at", "id"],
                name="job_due",
                condition=Q(next_attempt_at__isnull=False),
            ),
            # The few with a priority are sorted at each claim; this finds them among all others.
            models.Index(
                fields=["next_attempt_at", "id"],
                name="job_due_ranked",
                condition=Q(next_attempt_at__isnull=False) & ~Q(priority=0),
            ),
            models.Index(
                fields=["lease_expires_at"],
                name="job_leased",
                condition=Q(lease_expires_at__isnull=False),
            ),
            models.Index(fields=["owner", "-created_at"], name="job_newest_of_owner"),
            models.Index(fields=["-created_at"], name="job_newest"),
            models.Index(
                fields=["finished_at"], name="job_finished", condition=Q(finished_at__isnull=False)
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "kind", "idempotency_key"],
                condition=~Q(idempotency_key="") & Q(owner__isnull=False),
                name="one_job_per_owner_and_key",
            ),
            models.UniqueConstraint(
                fields=["kind", "idempotency_key"],
                condition=~Q(idempotency_key="") & Q(owner__isnull=True),
                name="one_own_job_per_key",
            ),
            models.UniqueConstraint(
                fields=["series", "planned_at"],
                condition=Q(series__isnull=False),
                name="one_job_per_planned_time",
            ),
            # Short ones: PostgreSQL compiles them anew for each UPDATE, which costs it as much as
            # the rest of a small one.
            models.CheckConstraint(
                condition=_is_set_while("next_attempt_at", WAITING), name="job_waits_for_a_time"
            ),
            models.CheckConstraint(
                condition=_is_set_while("lease_expires_at", (JobStatus.RUNNING,)),
                name="job_runs_under_a_lease",
            ),
            models.CheckConstraint(
                condition=Exact(_is_set("lease_expires_at"), GreaterThan(F("lease_owner"), "")),
                name="job_is_held_by_somebody",
            ),
            models.CheckConstraint(
                condition=_is_set_while("finished_at", FINISHED), name="job_ends_at_a_time"
            ),
            models.CheckConstraint(
                condition=Q(started_at__isnull=True) | Q(next_attempt_at__isnull=True),
                name="job_that_waits_has_not_started",
            ),
            models.CheckConstraint(
                condition=Q(attempts__lte=F("max_attempts")), name="job_attempts_are_bounded"
            ),
            models.CheckConstraint(
                condition=Q(series__isnull=True) | Q(planned_at__isnull=False),
                name="job_of_a_series_is_planned",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"

    @property
    def is_finished(self) -> bool:
        return self.status in FINISHED
