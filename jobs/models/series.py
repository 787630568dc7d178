"""What recurs: a series plans one job at a time, each from the planned time of the one before."""

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from config.base.ids import uuid7
from config.base.models.user import validate_time_zone
from jobs.enums import MissedPolicy

if TYPE_CHECKING:
    from config.base.models import User


class JobSeriesQuerySet(models.QuerySet["JobSeries"]):
    def for_user(self, user: "User") -> "JobSeriesQuerySet":
        """One's own; for operators who may see them, everybody's and the product's."""
        may = user.is_staff and user.has_perm("jobs.view_jobseries")
        return self if may else self.filter(owner=user)

    def changeable_by(self, user: "User") -> "JobSeriesQuerySet":
        may = user.is_staff and user.has_perm("jobs.change_jobseries")
        return self if may else self.filter(owner=user)

    def active(self) -> "JobSeriesQuerySet":
        return self.filter(paused_at__isnull=True, ended_at__isnull=True)


class JobSeries(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    kind = models.CharField(_("kind"), max_length=100)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,  # the product's own work
        on_delete=models.CASCADE,
        related_name="job_series",
        verbose_name=_("owner"),
    )
    payload = models.JSONField(_("payload"), default=dict)
    priority = models.SmallIntegerField(_("priority"), default=0)
    cron = models.CharField(
        _("cron"),
        max_length=100,
        help_text=_("Minute, hour, day of the month, month, day of the week: “30 2 * * *”."),
    )
    zone = models.CharField(
        _("time zone"), max_length=64, default="UTC", validators=[validate_time_zone]
    )
    missed_policy = models.CharField(
        _("missed times"), max_length=10, choices=MissedPolicy, default=MissedPolicy.RUN_ONCE
    )
    # A shipped series is one of the product's own kinds; a person's has none.
    shipped = models.BooleanField(default=False, editable=False)
    # The newest slot that was planned or found missed: the next one is computed from it.
    planned_until = models.DateTimeField(_("planned until"), null=True, editable=False)
    paused_at = models.DateTimeField(_("paused"), null=True, editable=False)
    ended_at = models.DateTimeField(_("ended"), null=True, editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    objects = JobSeriesQuerySet.as_manager()

    class Meta:
        verbose_name = _("series of jobs")
        verbose_name_plural = _("series of jobs")
        constraints = [
            models.UniqueConstraint(
                fields=["kind"], condition=Q(shipped=True), name="one_shipped_series_per_kind"
            )
        ]
        indexes = [
            models.Index(
                fields=["kind"],
                name="series_active",
                condition=Q(paused_at__isnull=True, ended_at__isnull=True),
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.cron} ({self.zone})"

    @property
    def is_active(self) -> bool:
        return self.paused_at is None and self.ended_at is None


class MissedSlots(models.Model):
    """Planned times of one outage at which nothing could run: seen, never silently dropped."""

    series = models.ForeignKey(
        JobSeries, on_delete=models.CASCADE, related_name="missed", verbose_name=_("series")
    )
    first_planned_at = models.DateTimeField(_("first"))
    last_planned_at = models.DateTimeField(_("last"))
    count = models.PositiveIntegerField(_("how many"))
    is_more = models.BooleanField(_("or more"), default=False)  # counting stopped there
    noticed_at = models.DateTimeField(_("noticed"), auto_now_add=True)

    class Meta:
        verbose_name = _("missed times")
        verbose_name_plural = _("missed times")
        constraints = [
            models.UniqueConstraint(
                fields=["series", "first_planned_at"], name="missed_slots_are_noticed_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.count} × {self.series}"
