"""That a background skill has a job: in which version, for whom, by which grant. No content."""

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from config.base.idempotency import MAX_KEY_LENGTH
from config.base.ids import uuid7

if TYPE_CHECKING:
    from config.base.models import User
    from jobs.models import Job


class SkillJobQuerySet(models.QuerySet["SkillJob"]):
    def for_user(self, user: "User") -> "SkillJobQuerySet":
        return self.filter(user=user)

    def of_job(self, job: "Job") -> "SkillJobQuerySet":
        """That of the job, or of the series that it is one of."""
        return self.filter(series=job.series_id) if job.series_id else self.filter(job=job.pk)


class SkillJob(models.Model):
    """One for a job that is alone, or for all jobs of a series. The version stays the one that it
    was made with; the grants are those that it was made by, and are judged anew at each start.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="skill_jobs",
        verbose_name=_("user"),
    )
    job = models.OneToOneField(
        "jobs.Job",
        null=True,
        on_delete=models.CASCADE,
        related_name="skill_job",
        verbose_name=_("job"),
    )
    series = models.OneToOneField(
        "jobs.JobSeries",
        null=True,
        on_delete=models.CASCADE,
        related_name="skill_job",
        verbose_name=_("series"),
    )
    skill_id = models.CharField(_("skill"), max_length=100)
    version = models.CharField(_("version"), max_length=32)
    agent_id = models.UUIDField(_("agent"))
    conversation_id = models.UUIDField(_("conversation"))
    grant_ids = models.JSONField(_("permission grants"), default=list)
    order_key = models.CharField(
        _("idempotency key"), max_length=MAX_KEY_LENGTH, blank=True, default="", editable=False
    )
    order_digest = models.CharField(max_length=64, blank=True, default="", editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    objects = SkillJobQuerySet.as_manager()

    class Meta:
        verbose_name = _("skill job")
        verbose_name_plural = _("skill jobs")
        constraints = [
            models.CheckConstraint(
                condition=Q(job__isnull=True, series__isnull=False)
                | Q(job__isnull=False, series__isnull=True),
                name="skill_job_of_a_job_or_a_series",
            ),
            models.UniqueConstraint(
                fields=["user", "order_key", "order_digest"],
                condition=~Q(order_key=""),
                name="skill_job_ordered_once",
            ),
        ]
        indexes = [models.Index(fields=["-created_at"], name="skill_job_newest")]

    def __str__(self) -> str:
        return f"{self.skill_id}@{self.version}"
