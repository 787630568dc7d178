"""A rule over denials, and each time that somebody met it."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from config.base.ids import uuid7
from jobs.models import Job
from tools.models import Secret

MOST_DENIALS = 1000
MOST_MINUTES = 7 * 24 * 60


class AlertRule(models.Model):
    """At least `denials` of one user within `minutes`, once per user and window.

    Empty texts match everything.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    name = models.CharField(_("name"), max_length=100, unique=True)
    denials = models.PositiveIntegerField(
        _("denials"),
        default=5,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_DENIALS)],
        help_text=_("So many refusals of one user, or more."),
    )
    minutes = models.PositiveIntegerField(
        _("within minutes"),
        default=10,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_MINUTES)],
        help_text=_("Also for how long it says nothing more of the same user."),
    )
    tool = models.CharField(
        _("tool"), max_length=100, blank=True, help_text=_("Empty: every tool.")
    )
    skill = models.CharField(
        _("skill"), max_length=100, blank=True, help_text=_("Empty: every skill.")
    )
    reason_code = models.CharField(
        _("reason"), max_length=100, blank=True, help_text=_("Empty: every reason.")
    )
    url = models.CharField(
        _("webhook"),
        max_length=2000,
        blank=True,
        help_text=_("Where each alert is sent; empty: it is written to the audit only."),
    )
    secret = models.ForeignKey(
        Secret,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="alert_rules",
        verbose_name=_("secret of the signature"),
        help_text=_(
            "The secret that signs each alert. The webhook's host must be among its allowed hosts."
        ),
    )
    allowed_networks = models.JSONField(
        _("private networks"),
        default=list,
        blank=True,
        help_text=_("Where the webhook may be besides public addresses: 10.0.0.0/8, one a line."),
    )
    enabled = models.BooleanField(_("enabled"), default=True)
    # Denials up to this event have been looked at.
    evaluated_through = models.BigIntegerField(default=0, editable=False)
    # And those up to this one count for nothing: it did not judge them as it does now.
    counts_after = models.BigIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("alert rule")
        verbose_name_plural = _("alert rules")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Alert(models.Model):
    """Its id is the webhook's, the same at every attempt. How it is sent: by its job."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    rule = models.ForeignKey(
        AlertRule, on_delete=models.CASCADE, related_name="alerts", verbose_name=_("rule")
    )
    subject = models.UUIDField(_("subject"), null=True)  # null in a test
    denials = models.PositiveIntegerField(_("denials"))
    first_at = models.DateTimeField(_("first denial"))
    last_at = models.DateTimeField(_("last denial"))
    raised_at = models.DateTimeField(_("raised"))
    is_test = models.BooleanField(_("test"), default=False)
    job = models.OneToOneField(
        Job,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        verbose_name=_("job"),
    )
    status_code = models.PositiveSmallIntegerField(_("answer"), null=True)
    delivered_at = models.DateTimeField(_("delivered"), null=True)

    class Meta:
        verbose_name = _("alert")
        verbose_name_plural = _("alerts")
        ordering = ["-raised_at"]
        indexes = [
            models.Index(fields=["raised_at"], name="alert_by_time"),
            models.Index(fields=["rule", "raised_at"], name="alert_of_rule"),
        ]
        constraints = [
            # Besides the rule's lock: the same denial never ends two windows.
            models.UniqueConstraint(
                fields=["rule", "subject", "last_at"], name="alert_once_per_window"
            )
        ]

    def __str__(self) -> str:
        return f"{self.rule} · {self.raised_at:%Y-%m-%d %H:%M:%S}"
