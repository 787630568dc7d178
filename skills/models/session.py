"""A workflow in a conversation: what it asks and has been told, and each of its moves."""

from datetime import datetime
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from config.base.ids import uuid7
from skills.enums import MoveKind, SessionState

if TYPE_CHECKING:
    from config.base.models import User

_OPEN = Q(finished_at__isnull=True)


class WorkflowSessionQuerySet(models.QuerySet["WorkflowSession"]):
    def for_user(self, user: "User") -> "WorkflowSessionQuerySet":
        return self.filter(user=user)

    def open(self) -> "WorkflowSessionQuerySet":
        """Active or paused."""
        return self.filter(_OPEN)

    def due(self, now: datetime) -> "WorkflowSessionQuerySet":
        """Nobody has gone on with them in time."""
        return self.open().filter(expires_at__lte=now)


class WorkflowSession(models.Model):
    """`answers` is content, by the names of the steps: null for one that was skipped. `step` is the
    one that is asked; empty once each has an answer. Every move raises `revision`.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="workflow_sessions",
        db_index=False,
        verbose_name=_("user"),
    )
    agent_id = models.UUIDField(_("agent"), null=True)
    conversation_id = models.UUIDField(_("conversation"))
    message_id = models.UUIDField(_("origin message"))
    skill_id = models.CharField(_("skill"), max_length=100)
    version = models.CharField(_("version"), max_length=32)
    state = models.CharField(
        _("state"), max_length=16, choices=SessionState, default=SessionState.ACTIVE
    )
    step = models.CharField(_("step"), max_length=50, blank=True)
    answers = models.JSONField(_("answers"), default=dict)
    revision = models.PositiveIntegerField(default=0)
    tool_call_id = models.UUIDField(_("tool call"), null=True)
    created_at = models.DateTimeField(_("started"), auto_now_add=True)
    updated_at = models.DateTimeField(_("changed"), auto_now=True)
    expires_at = models.DateTimeField(_("expires"))
    finished_at = models.DateTimeField(_("finished"), null=True)

    objects = WorkflowSessionQuerySet.as_manager()

    class Meta:
        verbose_name = _("workflow session")
        verbose_name_plural = _("workflow sessions")
        constraints = [
            models.UniqueConstraint(
                fields=["conversation_id"],
                condition=Q(state="active"),
                name="one_active_workflow_in_a_conversation",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["active", "paused"], finished_at__isnull=True)
                | Q(state__in=["completed", "cancelled", "expired"], finished_at__isnull=False),
                name="workflow_session_finished",
            ),
        ]
        indexes = [
            models.Index(fields=["conversation_id"], condition=_OPEN, name="session_open"),
            models.Index(fields=["expires_at"], condition=_OPEN, name="session_due"),
            models.Index(fields=["finished_at"], name="session_finished"),
            models.Index(fields=["user", "-created_at"], name="session_by_user"),
            models.Index(fields=["-created_at"], name="session_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.skill_id}@{self.version}"

    @property
    def is_open(self) -> bool:
        return self.finished_at is None

    @property
    def is_ready(self) -> bool:
        """Every step has its answer: what is left is the document."""
        return not self.step


class WorkflowMove(models.Model):
    """One change of a session. A message moves it once, however often it comes. No content."""

    session = models.ForeignKey(
        WorkflowSession,
        on_delete=models.CASCADE,
        related_name="moves",
        db_index=False,
        verbose_name=_("workflow session"),
    )
    n = models.PositiveIntegerField(_("number"))  # the session's revision after it
    kind = models.CharField(_("what happened"), max_length=16, choices=MoveKind)
    step = models.CharField(_("step"), max_length=50, blank=True)
    message_id = models.UUIDField(_("message"), null=True)
    created_at = models.DateTimeField(_("time"), auto_now_add=True)

    class Meta:
        verbose_name = _("move of a workflow")
        verbose_name_plural = _("moves of workflows")
        ordering = ["n"]
        constraints = [
            models.UniqueConstraint(fields=["session", "n"], name="one_move_per_number"),
            models.UniqueConstraint(
                fields=["message_id"],
                condition=Q(message_id__isnull=False),
                name="one_move_for_a_message",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.n} {self.kind}"
