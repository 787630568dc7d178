"""Agents, the tools they are given, and the models that they speak with."""

from collections.abc import Set
from typing import TYPE_CHECKING

from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from config.base.ids import uuid7
from tools.models import Secret, Tool

if TYPE_CHECKING:
    from config.base.models import User

RULES = "rules"
MAX_FALLBACKS = 3


class ModelProfileQuerySet(models.QuerySet["ModelProfile"]):
    def with_chain(self) -> "ModelProfileQuerySet":
        """With as many fallbacks as `usable_chain` follows, and their keys, in the one query."""
        chain = ["fallback__" * n for n in range(MAX_FALLBACKS + 1)]
        return self.select_related(*(f"{one}api_key_secret" for one in chain))


class ModelProfile(models.Model):
    """How to reach one model. Its key is in the environment, or sealed in a secret."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    name = models.CharField(_("name"), max_length=100, unique=True)
    model = models.CharField(
        _("model"),
        max_length=200,
        help_text=_(
            "A litellm name such as openai/gpt-…, ollama/…; with a base URL, the name that the "
            "server there knows; rules is the offline model."
        ),
    )
    base_url = models.URLField(
        _("base URL"),
        blank=True,
        help_text=_("Of a server that speaks the OpenAI format, as in http://localhost:8080/v1."),
    )
    api_key_env = models.CharField(
        _("key variable"),
        max_length=100,
        blank=True,
        validators=[RegexValidator(r"\A[A-Z_][A-Z0-9_]*\Z")],
        help_text=_("Name of the environment variable that holds the API key."),
    )
    api_key_secret = models.ForeignKey(
        Secret,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="model_profiles",
        verbose_name=_("key secret"),
        help_text=_("Or the secret that is the API key; it is sent to its own hosts only."),
    )
    external = models.BooleanField(
        _("external"), default=True, help_text=_("Content leaves this installation.")
    )
    stream = models.BooleanField(
        _("streams"),
        default=True,
        help_text=_("Off for a server that can only answer in one piece."),
    )
    timeout_seconds = models.PositiveIntegerField(
        _("timeout (s)"),
        default=60,
        validators=[MinValueValidator(1), MaxValueValidator(600)],
        help_text=_("For one whole answer, all attempts at it together."),
    )
    connect_timeout_seconds = models.PositiveIntegerField(
        _("until connected (s)"),
        default=10,
        validators=[MinValueValidator(1), MaxValueValidator(60)],
    )
    first_byte_timeout_seconds = models.PositiveIntegerField(
        _("until it begins (s)"),
        default=60,
        validators=[MinValueValidator(1), MaxValueValidator(600)],
        help_text=_("A local model reads the whole conversation first, or is loaded at this time."),
    )
    idle_timeout_seconds = models.PositiveIntegerField(
        _("between pieces (s)"),
        default=30,
        validators=[MinValueValidator(1), MaxValueValidator(600)],
        help_text=_("How long it may be silent in the middle of an answer."),
    )
    retries = models.PositiveIntegerField(
        _("retries"),
        default=2,
        validators=[MaxValueValidator(10)],
        help_text=_("Only after what may pass: too much to do, a fault, a lost connection."),
    )
    fallback = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="stands_in_for",
        verbose_name=_("then ask"),
        help_text=_("The profile that is asked when this one can't answer, after its retries."),
    )
    fallback_may_leave = models.BooleanField(
        _("content may leave with a fallback"),
        default=False,
        help_text=_("Without it, an external profile never stands in for one that is not."),
    )
    context_tokens = models.PositiveIntegerField(
        _("context (tokens)"),
        default=32_000,
        validators=[MinValueValidator(2_000), MaxValueValidator(2_000_000)],
        help_text=_("How much is sent at most; older parts of a conversation give way."),
    )
    max_output_tokens = models.PositiveIntegerField(
        _("answer at most (tokens)"),
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(1_000_000)],
        help_text=_("Empty: what the server allows."),
    )
    input_price_usd = models.DecimalField(
        _("price of input (USD per million tokens)"),
        max_digits=10,
        decimal_places=4,
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
        help_text=_("Empty: the price list that comes with litellm, as far as it knows the model."),
    )
    output_price_usd = models.DecimalField(
        _("price of output (USD per million tokens)"),
        max_digits=10,
        decimal_places=4,
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
    )
    sort_order = models.IntegerField(_("order"), default=0)

    objects = ModelProfileQuerySet.as_manager()

    class Meta:
        verbose_name = _("model profile")
        verbose_name_plural = _("model profiles")
        ordering = ["sort_order", "name"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(api_key_env="") | models.Q(api_key_secret=None),
                name="one_place_of_the_key",
                violation_error_message=_("A variable or a secret, not both."),
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def leaves(self) -> bool:
        """Whether content leaves this installation; the offline model keeps all of it.

        Without an address it goes wherever the library thinks: only an address can be inside.
        """
        return self.model != RULES and (self.external or not self.base_url)


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
        usable = [a.pk for a in enabled if a.is_open_to_roles(roles)]
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

    def is_open_to(self, user: "User") -> bool:
        """As `for_user` says it, of one that is at hand; a query only where roles matter."""
        if not self.enabled or user.is_staff or not self.roles:
            return self.enabled
        return self.is_open_to_roles(set(user.memberships.values_list("role", flat=True)))

    def is_open_to_roles(self, roles: Set[str]) -> bool:
        return not self.roles or bool(roles & set(self.roles))


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
