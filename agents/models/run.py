"""Runs: one turn of an agent, its steps and its events.

`Run` is metadata and outlives the conversation; what was said and done (steps, events) belongs to
the conversation and dies with it.
"""

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext_lazy as _

from agents.models.agent import Agent
from agents.models.conversation import Conversation
from config.base.ids import uuid7
from config.base.leases import lease_is_free
from config.base.models import Leased, Project
from tools.models import ToolCall

if TYPE_CHECKING:
    from config.base.models import User


class RunStatus(models.TextChoices):
    QUEUED = "queued", _("queued")
    RUNNING = "running", _("running")
    WAITING = "waiting", _("waits for a person")
    COMPLETED = "completed", _("completed")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("cancelled")


FINISHED = (RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED)


class ResponseStatus(models.TextChoices):
    """What clients render from; never from the text."""

    RUNNING = "RUNNING"
    COMPLETED = "COMPLETED"
    NEEDS_INPUT = "NEEDS_INPUT"
    NEEDS_CONFIRMATION = "NEEDS_CONFIRMATION"
    NEEDS_CONSENT = "NEEDS_CONSENT"
    NO_EVIDENCE = "NO_EVIDENCE"
    FORBIDDEN = "FORBIDDEN"
    UNAVAILABLE = "UNAVAILABLE"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


class RunQuerySet(models.QuerySet["Run"]):
    def for_user(self, user: "User") -> "RunQuerySet":
        return self.filter(owner=user)

    def unfinished(self) -> "RunQuerySet":
        return self.exclude(status__in=FINISHED)

    def runnable(self) -> "RunQuerySet":
        """Queued, abandoned by its process, or waiting for nothing any more.

        The last is derived from the ledger, so a crash between confirm and wake-up is harmless.
        That none of them has finished is said for the index.
        """
        open_calls = ToolCall.objects.open().filter(run_id=OuterRef("pk"))
        return self.filter(
            Q(status=RunStatus.QUEUED)
            | (Q(status=RunStatus.RUNNING) & lease_is_free())
            | (Q(status=RunStatus.WAITING) & ~Exists(open_calls)),
            finished_at__isnull=True,
        )


class Run(Leased):
    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="runs",
        db_index=False,
        verbose_name=_("owner"),
    )
    agent = models.ForeignKey(
        Agent, null=True, on_delete=models.SET_NULL, related_name="runs", verbose_name=_("agent")
    )
    project = models.ForeignKey(
        Project, null=True, on_delete=models.SET_NULL, verbose_name=_("project")
    )
    conversation = models.ForeignKey(
        Conversation,
        null=True,
        on_delete=models.SET_NULL,
        related_name="runs",
        verbose_name=_("conversation"),
    )
    context_version = models.PositiveIntegerField(default=0)
    client = models.CharField(_("client"), max_length=20, blank=True)
    origin = models.CharField(_("origin"), max_length=20)
    role = models.CharField(_("role"), max_length=20, blank=True)
    idempotency_key = models.CharField(max_length=255, blank=True)
    request_digest = models.CharField(max_length=64, blank=True)
    enable_tools = models.BooleanField(_("tools"), default=False)
    preview = models.BooleanField(default=False)
    unattended = models.BooleanField(_("unattended"), default=False)

    status = models.CharField(_("status"), max_length=10, choices=RunStatus)
    response_status = models.CharField(
        _("answer"), max_length=20, choices=ResponseStatus, blank=True
    )
    intent = models.CharField(_("intent"), max_length=30, blank=True)
    tools = models.JSONField(_("tools used"), default=list)
    error_code = models.CharField(_("error"), max_length=50, blank=True)
    error_message = models.CharField(_("error message"), max_length=500, blank=True)
    warnings = models.JSONField(_("warnings"), default=list)
    input_tokens = models.PositiveIntegerField(_("input tokens"), default=0)
    output_tokens = models.PositiveIntegerField(_("output tokens"), default=0)
    cost_usd = models.DecimalField(_("cost (USD)"), max_digits=12, decimal_places=6, null=True)
    usage_estimated = models.BooleanField(_("tokens estimated"), default=False)
    model = models.CharField(_("model"), max_length=320, blank=True)  # that answered last
    last_seq = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    started_at = models.DateTimeField(_("started"), null=True)
    finished_at = models.DateTimeField(_("finished"), null=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        verbose_name = _("run")
        verbose_name_plural = _("runs")
        indexes = [
            # By finished_at: SQLite can't see that bound parameters imply `status IN (…)`.
            models.Index(
                fields=["created_at"], name="run_unfinished", condition=Q(finished_at__isnull=True)
            ),
            models.Index(fields=["owner", "-created_at"], name="run_by_owner"),
            models.Index(fields=["-created_at"], name="run_newest"),
            models.Index(fields=["error_code", "-created_at"], name="run_by_error"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "idempotency_key"],
                condition=~Q(idempotency_key=""),
                name="one_run_per_idempotency_key",
            )
        ]

    def __str__(self) -> str:
        return f"{self.pk} ({self.status})"

    @property
    def is_finished(self) -> bool:
        return self.status in FINISHED


class RunStep(models.Model):
    """One model call and the tool calls it asked for.

    `replied` is set in the transaction that stores the reply: a stored reply is never asked for
    again. `results` maps the index of a call to what the model is told of it.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="steps", db_index=False)
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="+")
    n = models.PositiveSmallIntegerField()
    attempt = models.PositiveSmallIntegerField(default=1)
    replied = models.BooleanField(default=False)
    text = models.TextField(blank=True)
    tool_calls = models.JSONField(default=list)
    results = models.JSONField(default=dict)
    provenance = models.JSONField(default=list)
    model = models.CharField(max_length=320, blank=True)
    warnings = models.JSONField(default=list)  # of the reply, for the person
    input_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    cost_usd = models.DecimalField(max_digits=12, decimal_places=6, null=True)
    usage_estimated = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["n"]
        constraints = [models.UniqueConstraint(fields=["run", "n"], name="one_row_per_step")]

    def __str__(self) -> str:
        return f"{self.run_id} step {self.n}"


class RunSkill(models.Model):
    """The skill that came before the reply, once for each run, and what the model is told of it.

    Content of the conversation: what is kept of a use beyond that is `skills.SkillRun`.
    """

    run = models.OneToOneField(
        Run, primary_key=True, on_delete=models.CASCADE, related_name="skill_used"
    )
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="+")
    skill_id = models.CharField(max_length=100)
    version = models.CharField(max_length=32)
    instruction = models.TextField()
    provenance = models.JSONField(default=list)
    warnings = models.JSONField(default=list)  # for the person
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.skill_id}@{self.version}"


class RunEvent(models.Model):
    """What a stream shows; views only read these, so a client that goes away stops nothing."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="events", db_index=False)
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="+")
    seq = models.PositiveIntegerField()
    type = models.CharField(max_length=30)
    data = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["seq"]
        constraints = [models.UniqueConstraint(fields=["run", "seq"], name="one_event_per_seq")]

    def __str__(self) -> str:
        return f"{self.run_id} #{self.seq} {self.type}"
