"""How a skill stood by its own cases when they were last run: names and figures, no content."""

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from config.base.ids import uuid7


class SkillEvaluationQuerySet(models.QuerySet["SkillEvaluation"]):
    def latest_of(self, skill_ids: Iterable[str]) -> "SkillEvaluationQuerySet":
        return self.filter(is_latest=True, skill_id__in=list(skill_ids))


class SkillEvaluation(models.Model):
    """One skill in one run. `failed`: `{"case", "problem", "regression"}` of each that did."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    skill_id = models.CharField(_("skill"), max_length=100)
    version = models.CharField(_("version"), max_length=32)
    evaluated_at = models.DateTimeField(_("evaluated"), db_default=Now())
    evaluated_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,  # by the command
        on_delete=models.SET_NULL,
        related_name="+",
        verbose_name=_("evaluated by"),
    )
    case_count = models.PositiveIntegerField(_("cases"))
    passed_count = models.PositiveIntegerField(_("passed"))
    regression_count = models.PositiveIntegerField(_("regressions"))
    passed = models.JSONField(_("passed cases"))  # their names: what the next run is held against
    failed = models.JSONField(_("failed cases"))
    is_latest = models.BooleanField(_("latest"), default=True)

    objects = SkillEvaluationQuerySet.as_manager()

    class Meta:
        verbose_name = _("skill evaluation")
        verbose_name_plural = _("skill evaluations")
        constraints = [
            models.UniqueConstraint(
                fields=["skill_id"], condition=Q(is_latest=True), name="one_latest_evaluation"
            )
        ]
        indexes = [
            models.Index(fields=["-evaluated_at"], name="evaluation_newest"),
            models.Index(fields=["skill_id", "-evaluated_at"], name="evaluation_by_skill"),
        ]

    def __str__(self) -> str:
        return f"{self.skill_id}@{self.version}"

    @property
    def failed_count(self) -> int:
        return self.case_count - self.passed_count

    @property
    def share(self) -> float:
        return self.passed_count / self.case_count if self.case_count else 0.0

    @property
    def regressions(self) -> list[str]:
        failed: list[dict[str, Any]] = self.failed
        return [str(one["case"]) for one in failed if one["regression"]]
