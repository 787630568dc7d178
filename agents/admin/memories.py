"""Memories: whose, of which agent, how they stand; what is remembered is not shown."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from agents.models import Memory
from config.base.admin_base import ReadOnlyAdmin


@admin.register(Memory)
class MemoryAdmin(ReadOnlyAdmin):
    list_display = ["created_at", "owner", "agent", "status", "importance", "sources"]
    list_display_links = ["created_at"]
    list_filter = ["status", "agent", "created_at"]
    list_select_related = ["owner", "agent"]
    ordering = ["-created_at", "-pk"]
    search_fields = ["=owner__username"]
    fields = ["id", "owner", "agent", "status", "importance", "sources", "created_at", "updated_at"]

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer("text")

    @admin.display(description=_("provenance"))
    def sources(self, memory: Memory) -> str:
        return ", ".join(memory.provenance) or "–"
