"""Reads that more than one caller needs."""

from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone

from config.base.errors import NotFound
from config.base.models import User
from tools.budgets.limits import day_of
from tools.budgets.quotas import with_calls_on
from tools.models import ActionDraft, Tool, ToolCall
from tools.models.draft import ActionDraftQuerySet


def list_tools() -> QuerySet[Tool]:
    """In the order that operators chose, each with its `calls_today`."""
    return with_calls_on(Tool.objects.all(), day_of(timezone.now()))


def get_tool(tool_id: UUID) -> Tool:
    tool = list_tools().filter(pk=tool_id).first()
    if tool is None:
        raise NotFound
    return tool


def list_calls() -> QuerySet[ToolCall]:
    """The log: the ledger joined with what is still kept of its content, newest first."""
    return ToolCall.objects.select_related("user", "tool", "content", "draft").order_by(
        "-created_at", "-pk"
    )


def get_draft(user: User, draft_id: UUID) -> ActionDraft:
    """Raises `NotFound` for what is not this user's."""
    draft = list_drafts(user).filter(pk=draft_id).first()
    if draft is None:
        raise NotFound
    return draft


def list_drafts(user: User) -> ActionDraftQuerySet:
    return (
        ActionDraft.objects.for_user(user)
        .select_related("call__tool", "owner")
        .order_by("-created_at", "-pk")
    )


def count_waiting_drafts(user: User) -> int:
    """The badge: what needs this person."""
    return ActionDraft.objects.for_user(user).needing_a_person().count()
