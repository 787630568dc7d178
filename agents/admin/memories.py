"""Memories: whose, of which agent, how they stand; what is remembered is not shown, but for what
waits to be told to everybody in a project: on that an operator decides.
"""

from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from agents.memories.company import (
    PERMISSION,
    accept_memory,
    decline_memory,
    reveal_memory,
)
from agents.models import Memory, MemoryStatus
from config.base.admin_base import ReadOnlyAdmin, admin_actor
from config.base.errors import Conflict

_TEXTS = ("text", "subject")


@admin.register(Memory)
class MemoryAdmin(ReadOnlyAdmin):
    list_display = ["created_at", "owner", "agent", "project", "status", "importance", "sources"]
    list_display_links = ["created_at"]
    list_filter = ["status", "visibility", "layer", "project", "agent", "created_at"]
    list_select_related = ["owner", "agent", "project"]
    ordering = ["-created_at", "-pk"]
    search_fields = ["=owner__username"]
    fields = [
        *("id", "owner", "agent", "project", "visibility", "status", "decision"),
        *("layer", "importance", "sources", "conversation", "superseded_by", "revision"),
        *("last_used_at", "created_at", "updated_at"),
    ]

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer(*_TEXTS)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.decide)
        own = path("<uuid:key>/decide/", view, name="agents_memory_decide")
        return [own, *super().get_urls()]

    @admin.display(description=_("provenance"))
    def sources(self, memory: Memory) -> str:
        return ", ".join(memory.provenance) or "–"

    @admin.display(description=_("decision"))
    def decision(self, memory: Memory) -> SafeString | str:
        if memory.status != MemoryStatus.PENDING:
            return "–"
        address = reverse("admin:agents_memory_decide", args=[memory.pk])
        return format_html(
            '<a href="{}">{}</a>', address, _("Read it and decide; this is recorded")
        )

    def decide(self, request: HttpRequest, key: UUID) -> HttpResponse:
        """Asks first; what is shown, accepted or declined is on record. `admin_view`: no-store."""
        if not request.user.has_perm(PERMISSION):
            raise PermissionDenied
        memory = Memory.objects.select_related("owner", "project").filter(pk=key).first()
        if memory is None:
            raise Http404
        try:
            return self._decided(request, memory)
        except Conflict as error:
            messages.error(request, error.message)
            return redirect("admin:agents_memory_change", key)

    def _decided(self, request: HttpRequest, memory: Memory) -> HttpResponse:
        act = request.POST.get("act", "") if request.method == "POST" else ""
        actor = admin_actor(request)
        if act == "accept":
            accept_memory(actor, memory.pk)
            messages.success(request, _("Everybody in the project may be told of it now."))
            return redirect("admin:agents_memory_changelist")
        if act == "decline":
            decline_memory(actor, memory.pk)
            messages.success(request, _("It is declined; its owner has it in their archive."))
            return redirect("admin:agents_memory_changelist")
        shown = reveal_memory(actor, memory.pk) if act == "show" else None
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "original": memory,
            "title": _("A memory for everybody in a project"),
            "row": memory,
            "shown": shown,
            "sources": self.sources(memory),
        }
        return TemplateResponse(request, "admin/agents/memory/decide.html", context)
