"""The ledger: one row per tool call, whatever happened; its content apart and short-lived."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from config.base.ids import uuid7
from tools.decisions import stored_decision
from tools.enums import OPEN_STATUSES, CallStatus, Effect
from tools.models.tool import Tool
from tools.schemas import JSON


class ToolCallQuerySet(models.QuerySet["ToolCall"]):
    def open(self) -> "ToolCallQuerySet":
        """Without an outcome yet: a run with such a call is not runnable."""
        return self.filter(status__in=OPEN_STATUSES, finished_at__isnull=True)


class ToolCall(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    idempotency_key = models.CharField(_("idempotency key"), max_length=255, unique=True)
    tool = models.ForeignKey(Tool, null=True, on_delete=models.SET_NULL, related_name="calls")
    tool_slug = models.CharField(_("tool"), max_length=50)
    tool_type = models.CharField(_("type"), max_length=50)

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        verbose_name=_("user"),
        db_index=False,
    )
    role = models.CharField(_("role"), max_length=20, blank=True)
    origin = models.CharField(_("origin"), max_length=20)
    agent_id = models.UUIDField(null=True)
    conversation_id = models.UUIDField(null=True)
    run_id = models.UUIDField(_("run"), null=True)
    skill = models.CharField(_("skill"), max_length=100, blank=True)
    skill_version = models.CharField(_("skill version"), max_length=40, blank=True)

    # Counted when the row is made, under one lock: what the quota gate goes by.
    nth_of_day = models.PositiveIntegerField(_("number of the day"), null=True)
    nth_in_run = models.PositiveIntegerField(_("number in the run"), null=True)
    # The day whose `ToolDay` it is counted in; null where its tool has no limit, or gave it back.
    quota_day = models.DateField(_("counted on"), null=True)
    standing_approval = models.ForeignKey(
        "tools.StandingApproval",
        null=True,
        on_delete=models.SET_NULL,
        related_name="calls",
        db_index=False,
        verbose_name=_("standing approval"),
    )
    input_digest = models.CharField(_("input digest"), max_length=64)
    effect = models.CharField(_("effect"), max_length=10, choices=Effect, blank=True)
    decision = models.JSONField(_("decision"), null=True)
    status = models.CharField(_("status"), max_length=20, choices=CallStatus)
    attempt = models.PositiveIntegerField(_("attempt"), default=0)
    error_code = models.CharField(_("error"), max_length=50, blank=True)
    receipt = models.JSONField(_("receipt"), null=True)
    duration_ms = models.PositiveIntegerField(_("duration (ms)"), null=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    started_at = models.DateTimeField(_("started"), null=True)
    deadline_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(_("finished"), null=True)

    objects = ToolCallQuerySet.as_manager()

    class Meta:
        verbose_name = _("tool call")
        verbose_name_plural = _("tool calls")
        indexes = [
            # What comes after the time lets the figures of a month be read from the index alone.
            models.Index(
                fields=["-created_at", "status", "tool_slug", "duration_ms"], name="call_newest"
            ),
            models.Index(fields=["tool_slug", "-created_at"], name="call_by_tool"),
            models.Index(fields=["user", "-created_at"], name="call_by_user"),
            models.Index(fields=["status", "-created_at"], name="call_by_status"),
            models.Index(fields=["run_id"], name="call_by_run", condition=Q(run_id__isnull=False)),
            models.Index(
                fields=["run_id"], name="call_open", condition=Q(finished_at__isnull=True)
            ),
            models.Index(
                fields=["standing_approval"],
                name="call_by_approval",
                condition=Q(standing_approval__isnull=False),
            ),
            models.Index(
                fields=["deadline_at"],
                name="call_past_deadline",
                condition=Q(deadline_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tool_slug} · {self.get_status_display()}"

    @property
    def is_open(self) -> bool:
        return self.status in OPEN_STATUSES

    @property
    def error_message(self) -> str:
        """What the tool said of its failure; it may quote, so it is kept with the content."""
        try:
            return self.content.error_message
        except ToolCallContent.DoesNotExist:
            return ""

    @property
    def told_decision(self) -> JSON | None:
        return stored_decision(self.decision)


class ToolCallContent(models.Model):
    """Input, output and what a failure said; masked, cut, kept for settings.CALL_CONTENT_DAYS."""

    call = models.OneToOneField(
        ToolCall, primary_key=True, on_delete=models.CASCADE, related_name="content"
    )
    input = models.JSONField(_("input"), null=True)
    output = models.JSONField(_("output"), null=True)
    error_message = models.TextField(_("error message"), blank=True)
    truncated = models.BooleanField(_("cut"), default=False)
    input_bytes = models.PositiveIntegerField(default=0)
    output_bytes = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    def __str__(self) -> str:
        return str(self.call_id)
