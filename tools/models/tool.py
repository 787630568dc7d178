"""A tool: a configured, enabled or disabled instance of a tool type."""

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from config.base.ids import uuid7
from tools.errors import InvalidToolConfig, UnknownToolType


class ToolQuerySet(models.QuerySet["Tool"]):
    def enabled(self) -> "ToolQuerySet":
        return self.filter(enabled=True)


class Tool(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    name = models.CharField(_("name"), max_length=50, help_text=_("For people."))
    slug = models.CharField(
        _("slug"),
        max_length=50,
        unique=True,
        validators=[RegexValidator(r"\A[a-z0-9_]+\Z", _("Use a–z, 0–9 and _ only."))],
        help_text=_("The function name that the model sees: a–z, 0–9 and _."),
    )
    description = models.TextField(
        _("description"),
        blank=True,
        help_text=_("For the model; followed by what the type says of itself."),
    )
    type = models.CharField(_("type"), max_length=50)
    config = models.JSONField(_("config"), default=dict, blank=True)
    needs_approval = models.BooleanField(
        _("needs approval"),
        default=False,
        help_text=_("Every call waits for a person; adds to what the type requires."),
    )
    calls_per_day = models.PositiveIntegerField(
        _("calls per day"),
        default=0,
        blank=True,
        help_text=_("By everybody together, on one day (UTC). Empty or 0: no limit."),
    )
    enabled = models.BooleanField(_("enabled"), default=True)
    sort_order = models.IntegerField(_("order"), default=0)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    updated_at = models.DateTimeField(_("updated"), auto_now=True)

    objects = ToolQuerySet.as_manager()

    class Meta:
        verbose_name = _("tool")
        verbose_name_plural = _("tools")
        ordering = ["sort_order", "name", "slug"]

    def __str__(self) -> str:
        return self.name or self.slug

    def clean(self) -> None:
        """For forms; services call the same check and raise our errors."""
        from tools.configs import validated_config

        try:
            self.config = validated_config(self.type, self.config)
        except UnknownToolType as error:
            raise ValidationError({"type": error.message}) from error
        except InvalidToolConfig as error:
            raise ValidationError({"config": error.message}) from error


class ShippedTool(models.Model):
    """A type whose first row `migrate` has made, so that deleting that row is for good."""

    type = models.CharField(max_length=50, primary_key=True)

    def __str__(self) -> str:
        return self.type
