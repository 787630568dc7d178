"""What an operator sees: who has what since when. Never a text, but by an act that is audited."""

from typing import Any

from django.contrib import admin
from django.contrib.auth import get_permission_codename
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin

from config.base import audit
from config.base.actor import Actor, Origin
from config.base.admin_base import ReadOnlyAdmin
from config.base.people import signed_in
from documents.knowledge import admin as knowledge_admin
from documents.models import Document, DocumentFields, DocumentShare, DocumentVersion

__all__ = ["DocumentAdmin", "DocumentShareAdmin", "DocumentVersionAdmin", "knowledge_admin"]

_TEXTS = ("title", "summary", "content", "tags")
_DOCUMENT_FIELDS = (
    *("id", "owner", "type", "revision", "provenance", "conversation_id"),
    *("created_at", "updated_at", "text"),
)
_VERSION_FIELDS = (
    *("document_id", "revision", "change", "changed_fields", "restored_from", "owner"),
    *("user", "origin"),
    *("agent_id", "run_id", "provenance", "created_at", "text"),
)
_SHARE_FIELDS = (
    *("id", "document", "owner", "kind", "user", "project"),
    *("created_at", "expires_at", "revoked_at", "last_used_at"),
)


class MetadataAdmin(ModelAdmin):
    """Reads only, and reads no texts: not in the list, not on the page, not by searching."""

    show_full_result_count = False
    list_per_page = 50
    list_select_related = ["owner"]
    target_type = ""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.defer(*_TEXTS)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.reveal)
        own = path("<uuid:key>/reveal/", view, name=self._reveal_name())
        return [own, *super().get_urls()]

    def _reveal_name(self) -> str:
        return f"{self.opts.app_label}_{self.opts.model_name}_reveal"

    @admin.display(description=_("text"))
    def text(self, row: DocumentFields) -> SafeString:
        address = reverse(f"admin:{self._reveal_name()}", args=[row.pk])
        return format_html('<a href="{}">{}</a>', address, _("Show it; this is recorded"))

    def reveal(self, request: HttpRequest, key: Any) -> HttpResponse:
        """Asks first; showing writes an audit event in the owner's sight."""
        if not self._may_view(request):
            raise PermissionDenied
        row = get_object_or_404(self.model, pk=key)
        shown = request.method == "POST"
        if shown:
            self._record(request, row)
        context = {
            **self.admin_site.each_context(request),
            "title": _("Text of a person's document"),
            "row": row,
            "shown": shown,
            "opts": self.opts,
        }
        return render(request, "documents/admin_reveal.html", context)  # `admin_view`: no-store

    def _may_view(self, request: HttpRequest) -> bool:
        codename = get_permission_codename("view", self.opts)
        return request.user.has_perm(f"{self.opts.app_label}.{codename}")

    def _record(self, request: HttpRequest, row: Any) -> None:
        document_id = getattr(row, "document_id", row.pk)
        audit.record(
            "document.viewed",
            audit.Outcome.SUCCEEDED,
            actor=Actor(user=signed_in(request), origin=Origin.ADMIN),
            target=("document", document_id),
            metadata={"revision": row.revision, "owner": audit.Person(row.owner_id)},
        )


@admin.register(Document)
class DocumentAdmin(MetadataAdmin):
    list_display = ["id", "owner", "type", "revision", "updated_at"]
    list_filter = ["type"]
    search_fields = ["id", "owner__username"]
    date_hierarchy = "updated_at"
    ordering = ["-updated_at"]
    fields = _DOCUMENT_FIELDS
    readonly_fields = _DOCUMENT_FIELDS


@admin.register(DocumentVersion)
class DocumentVersionAdmin(MetadataAdmin):
    list_display = ["document_id", "revision", "change", "owner", "user", "origin", "created_at"]
    list_filter = ["change", "origin"]
    list_select_related = ["owner", "user"]
    search_fields = ["document_id", "owner__username"]
    ordering = ["-created_at"]
    fields = _VERSION_FIELDS
    readonly_fields = _VERSION_FIELDS


@admin.register(DocumentShare)
class DocumentShareAdmin(ReadOnlyAdmin):
    """Who lets whom read; never a text or a link."""

    list_display = ["id", "owner", "kind", "user", "project", "created_at", "expires_at"]
    list_filter = ["kind"]
    list_select_related = ["owner", "user", "project"]
    search_fields = ["id", "document__id", "owner__username", "user__username"]
    ordering = ["-created_at"]
    fields = _SHARE_FIELDS
    readonly_fields = _SHARE_FIELDS
