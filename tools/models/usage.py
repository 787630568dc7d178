"""What people have used of their budgets, and whose budgets differ from everybody's."""

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from tools.models.tool import Tool

_HELP = _("Empty: as for everybody. 0: no limit.")


class UserDay(models.Model):
    """What one person's agents and own calls used on one day (UTC). Outlives conversations."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="usage_days",
        db_index=False,
        verbose_name=_("user"),
    )
    day = models.DateField(_("day"))
    calls = models.PositiveIntegerField(_("tool calls"), default=0)
    model_calls = models.PositiveIntegerField(_("model calls"), default=0)
    input_tokens = models.PositiveBigIntegerField(_("input tokens"), default=0)
    output_tokens = models.PositiveBigIntegerField(_("output tokens"), default=0)
    cost_usd = models.DecimalField(_("cost (USD)"), max_digits=14, decimal_places=6, default=0)

    class Meta:
        verbose_name = _("usage of a day")
        verbose_name_plural = _("usage by day")
        constraints = [models.UniqueConstraint(fields=["user", "day"], name="one_row_per_user_day")]
        indexes = [models.Index(fields=["-day"], name="usage_newest")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.day}"

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


class ToolDay(models.Model):
    """The calls of one tool with a limit on one day (UTC): those that were made or may still be."""

    tool = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="days", db_index=False)
    day = models.DateField()
    calls = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tool", "day"], name="one_row_per_tool_day")]

    def __str__(self) -> str:
        return f"{self.tool_id} {self.day}"


class UserBudget(models.Model):
    """One person's own limits; those that it leaves open are settings.BUDGETS'."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="budget",
        verbose_name=_("user"),
    )
    calls_per_run = models.PositiveBigIntegerField(
        _("tool calls per run"), null=True, blank=True, help_text=_HELP
    )
    calls_per_day = models.PositiveBigIntegerField(
        _("tool calls per day"), null=True, blank=True, help_text=_HELP
    )
    tokens_per_run = models.PositiveBigIntegerField(
        _("tokens per run"), null=True, blank=True, help_text=_HELP
    )
    tokens_per_day = models.PositiveBigIntegerField(
        _("tokens per day"), null=True, blank=True, help_text=_HELP
    )
    usd_per_run = models.DecimalField(
        _("USD per run"),
        max_digits=12,
        decimal_places=2,
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
        help_text=_HELP,
    )
    usd_per_day = models.DecimalField(
        _("USD per day"),
        max_digits=12,
        decimal_places=2,
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
        help_text=_HELP,
    )

    class Meta:
        verbose_name = _("budget of a user")
        verbose_name_plural = _("budgets of users")

    def __str__(self) -> str:
        return str(self.user)
