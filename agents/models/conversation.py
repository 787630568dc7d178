"""Conversations and their messages: the content of what people and agents said."""

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from agents.models.agent import Agent
from config.base.ids import uuid7
from config.base.models import Project

if TYPE_CHECKING:
    from config.base.models import User


class ConversationQuerySet(models.QuerySet["Conversation"]):
    def for_user(self, user: "User") -> "ConversationQuerySet":
        return self.filter(owner=user)


class Conversation(models.Model):
    """`context_version` rises with each accepted user message; a stale one is refused."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="conversations",
        db_index=False,
        verbose_name=_("owner"),
    )
    agent = models.ForeignKey(
        Agent, on_delete=models.PROTECT, related_name="conversations", verbose_name=_("agent")
    )
    project = models.ForeignKey(
        Project, null=True, blank=True, on_delete=models.SET_NULL, verbose_name=_("project")
    )
    title = models.CharField(_("title"), max_length=200, blank=True)
    context_version = models.PositiveIntegerField(_("context version"), default=0)
    message_count = models.PositiveIntegerField(_("messages"), default=0)
    last_reply_at = models.DateTimeField(_("last reply"), null=True)
    last_reply_text = models.CharField(max_length=200, blank=True)
    unread = models.PositiveIntegerField(_("unread"), default=0)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    updated_at = models.DateTimeField(_("updated"), auto_now=True)

    objects = ConversationQuerySet.as_manager()

    class Meta:
        verbose_name = _("conversation")
        verbose_name_plural = _("conversations")
        indexes = [
            models.Index(fields=["owner", "-updated_at"], name="conversation_newest"),
            models.Index(fields=["owner", "unread"], name="conversation_unread"),
        ]

    def __str__(self) -> str:
        return str(self.pk)  # not the title: those are the person's words, and this is for staff


class MessageRole(models.TextChoices):
    USER = "user", _("user")
    ASSISTANT = "assistant", _("assistant")
    RECEIPT = "receipt", _("receipt")  # an effect that came after its run had ended
    NOTICE = "notice", _("notice")  # from Gatehouse itself: stopped, failed
    REMINDER = "reminder", _("reminder")  # a template's words and the person's note; no Markdown


class Message(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    conversation = models.ForeignKey(
        Conversation,
        on_delete=models.CASCADE,
        related_name="messages",
        db_index=False,
        verbose_name=_("conversation"),
    )
    position = models.PositiveIntegerField(_("position"))
    role = models.CharField(_("role"), max_length=10, choices=MessageRole)
    text = models.TextField()
    provenance = models.JSONField(default=list)
    run = models.ForeignKey(
        "agents.Run",
        null=True,
        on_delete=models.SET_NULL,
        related_name="messages",
        verbose_name=_("run"),
    )
    draft_id = models.UUIDField(null=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("message")
        verbose_name_plural = _("messages")
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["conversation", "position"], name="one_message_per_position"
            ),
            models.UniqueConstraint(
                fields=["draft_id"],
                condition=Q(role="receipt"),
                name="one_receipt_per_draft",
            ),
            models.UniqueConstraint(
                fields=["run"], condition=Q(role="assistant"), name="one_answer_per_run"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role} {self.position}"
