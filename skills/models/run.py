"""That a skill was used: which, for which message, how it ended. No content."""

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from config.base.ids import uuid7
from skills.enums import RunStatus, SkillKind

if TYPE_CHECKING:
    from config.base.models import User


class SkillRunQuerySet(models.QuerySet["SkillRun"]):
    def for_user(self, user: "User") -> "SkillRunQuerySet":
        return self.filter(user=user)


class SkillRun(models.Model):
    """One for each use; a message that comes again finds the row of its first coming."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="skill_runs",
        db_index=False,
        verbose_name=_("user"),
    )
    agent_id = models.UUIDField(_("agent"), null=True)
    conversation_id = models.UUIDField(_("conversation"), null=True)
    message_id = models.UUIDField(_("origin message"), null=True)
    number = models.PositiveSmallIntegerField(_("number in the turn"), default=0)
    tool_call_id = models.UUIDField(_("tool call"), null=True)
    skill_id = models.CharField(_("skill"), max_length=100)
    version = models.CharField(_("version"), max_length=32)
    kind = models.CharField(_("kind"), max_length=16, choices=SkillKind)
    status = models.CharField(_("status"), max_length=16, choices=RunStatus)
    error_code = models.CharField(_("error"), max_length=100, blank=True)
    duration_ms = models.PositiveIntegerField(_("duration (ms)"), null=True)
    started_at = models.DateTimeField(_("started"), auto_now_add=True)
    finished_at = models.DateTimeField(_("finished"), null=True)

    objects = SkillRunQuerySet.as_manager()

    class Meta:
        verbose_name = _("skill run")
        verbose_name_plural = _("skill runs")
        constraints = [
            models.UniqueConstraint(
                fields=["user", "message_id", "skill_id", "number"],
                condition=Q(message_id__isnull=False),
                name="one_skill_run_for_a_message",
            )
        ]
        indexes = [
            models.Index(fields=["user", "-started_at"], name="skill_run_by_user"),
            models.Index(fields=["-started_at"], name="skill_run_newest"),
            models.Index(fields=["skill_id", "-started_at"], name="skill_run_by_skill"),
            models.Index(
                fields=["tool_call_id"],
                condition=Q(finished_at__isnull=True),
                name="skill_run_unfinished",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.skill_id}@{self.version}"
