"""Agents, the tools they are given, and the models that they speak with."""

from typing import TYPE_CHECKING

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from config.base.ids import uuid7
from tools.models import Tool

if TYPE_CHECKING:
    from config.base.models import User

RULES = "rules"


class ModelProfile(models.Model):
    """How to reach one model. The key itself stays in the environment, never in the database."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    name = models.CharField(_("name"), max_length=100, unique=True)
    model = models.CharField(
        _("model"),
        max_length=200,
        help_text=_("A litellm name such as openai/gpt-…, ollama/…; rules is the offline model."),
    )
    base_url = models.URLField(_("base URL"), blank=True)
    api_key_env = models.CharField(
        _("key variable"),
        max_length=100,
        blank=True,
        validators=[RegexValidator(r"\A[A-Z_][A-Z0-9_]*\Z")],
        help_text=_("Name of the environment variable that holds the API key."),
    )
    external = models.BooleanField(
        _("external"), default=True, help_text=_("Content leaves this installation.")
    )
    timeout_seconds = models.PositiveIntegerField(
        _("timeout (s)"), default=60, validators=[MinValueValidator(1), MaxValueValidator(600)]
    )
    retries = models.PositiveIntegerField(
        _("retries"), default=2, validators=[MaxValueValidator(10)]
    )
    sort_order = models.IntegerField(_("order"), default=0)

    class Meta:
        verbose_name = _("model profile")
        verbose_name_plural = _("model profiles")
        ordering = ["sort_order", "name"]

    def __str__(self) -> str:
        return self.name


class AgentMode(models.TextChoices):
    LOOP = "loop", _("loop: the model calls tools by itself")
    PLANNER = "planner", _("planner: the server plans each turn")


class AgentQuerySet(models.QuerySet["Agent"]):
    def for_user(self, user: "User") -> "AgentQuerySet":
        """Agents that this user may talk to: enabled, and open to one of their roles."""
        enabled = self.filter(enabled=True)
        if user.is_staff:
            return enabled
        roles = set(user.memberships.values_list("role", flat=True))
        usable = [a.pk for a in enabled if not a.roles or roles & set(a.roles)]
        return enabled.filter(pk__in=usable)


class Agent(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    slug = models.SlugField(_("slug"), max_length=50, unique=True)
    name = models.CharField(_("name"), max_length=100)
    instructions = models.TextField(_("instructions"), blank=True)
    model_profile = models.ForeignKey(
        ModelProfile,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        verbose_name=_("model profile"),
        help_text=_("None: the model that the environment names, else the offline one."),
    )
    mode = models.CharField(_("mode"), max_length=10, choices=AgentMode, default=AgentMode.LOOP)
    max_steps = models.PositiveSmallIntegerField(
        _("steps at most"), default=5, validators=[MinValueValidator(1), MaxValueValidator(50)]
    )
    roles = models.JSONField(
        _("roles"), default=list, blank=True, help_text=_("Who may use it; empty: everybody.")
    )
    enabled = models.BooleanField(_("enabled"), default=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    objects = AgentQuerySet.as_manager()

    class Meta:
        verbose_name = _("agent")
        verbose_name_plural = _("agents")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class AgentTool(models.Model):
    """A tool given to an agent. An agent with no such row gets the harmless ones (`tool_sets`)."""

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="agent_tools")
    tool = models.ForeignKey(
        Tool, on_delete=models.CASCADE, related_name="agent_tools", verbose_name=_("tool")
    )
    enabled = models.BooleanField(_("enabled"), default=True)
    needs_approval = models.BooleanField(
        _("needs approval"),
        null=True,
        blank=True,
        help_text=_("Unknown: as the tool says. It can only add approval."),
    )

    class Meta:
        verbose_name = _("tool of an agent")
        verbose_name_plural = _("tools of an agent")
        constraints = [models.UniqueConstraint(fields=["agent", "tool"], name="tool_given_once")]

    def __str__(self) -> str:
        return f"{self.agent} · {self.tool}"
