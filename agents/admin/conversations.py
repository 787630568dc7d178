"""Conversations and messages: whose, when, how much; what was said is not shown."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from agents.models import Consent, Conversation, Message
from config.base.admin_base import ReadOnlyAdmin, row_link


@admin.register(Conversation)
class ConversationAdmin(ReadOnlyAdmin):
    """Whose, when, how much; its title is the person's own words and stays out too."""

    list_display = ["created_at", "owner", "agent", "project", "message_count", "updated_at"]
    list_display_links = ["created_at"]
    list_filter = ["agent", "created_at"]
    list_select_related = ["owner", "agent", "project"]
    ordering = ["-updated_at", "-pk"]
    search_fields = ["=owner__username"]
    fields = ["id", "owner", "agent", "project", "message_count", "context_version", "unread"]
    fields += ["last_reply_at", "created_at", "updated_at"]


@admin.register(Consent)
class ConsentAdmin(ReadOnlyAdmin):
    """Who lets which service be asked; whoever gave it takes it back."""

    list_display = ["given_at", "owner", "kind", "service", "until", "conversation"]
    list_filter = ["kind", "given_at"]
    list_select_related = ["conversation__owner"]
    ordering = ["-given_at", "-pk"]
    search_fields = ["=conversation__owner__username", "=service"]
    fields = ["id", "owner", "conversation", "kind", "service", "given_at", "until"]

    @admin.display(description=_("owner"))
    def owner(self, consent: Consent) -> str:
        return str(consent.conversation.owner)


@admin.register(Message)
class MessageAdmin(ReadOnlyAdmin):
    list_display = ["created_at", "conversation", "position", "role", "sources", "run"]
    list_filter = ["role", "created_at"]
    list_select_related = ["conversation", "run"]
    ordering = ["-created_at", "-pk"]
    search_fields = ["=conversation__owner__username"]
    fields = ["id", "conversation", "position", "role", "sources", "run", "draft", "created_at"]

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer("text")

    @admin.display(description=_("provenance"))
    def sources(self, message: Message) -> str:
        return ", ".join(message.provenance) or "–"

    @admin.display(description=_("draft"))
    def draft(self, message: Message) -> Any:
        return row_link("action_draft", message.draft_id)
