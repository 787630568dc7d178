"""What an operator sees of knowledge: that it is there, how large, how it was read. No name, title
or text: whoever may read those is let in by a manager.
"""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from config.base.admin_base import Label, ReadOnlyAdmin
from documents.enums import ResourceState
from documents.knowledge.files.detection import name_of
from documents.models import KnowledgeSpace, Resource, SpaceMember

_COLOURS: dict[str, str] = {
    ResourceState.READY: "success",
    ResourceState.FAILED: "danger",
}


@admin.register(KnowledgeSpace)
class KnowledgeSpaceAdmin(ReadOnlyAdmin):
    list_display = ["created_at", "created_by", "project", "is_for_newcomers", "id"]
    list_filter = ["is_for_newcomers", "project"]
    list_select_related = ["project", "created_by"]
    ordering = ["-created_at", "-pk"]
    search_fields = ["=id", "=created_by__username"]
    fields = ["id", "project", "is_for_newcomers", "created_by", "created_at"]

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer("name", "slug")


@admin.register(SpaceMember)
class SpaceMemberAdmin(ReadOnlyAdmin):
    list_display = ["created_at", "user", "role", "space_id", "id"]
    list_filter = ["role"]
    list_select_related = ["user"]
    ordering = ["-created_at", "-pk"]
    search_fields = ["=space__id", "=user__username"]
    fields = ["id", "space_id", "user", "role", "created_at"]


@admin.register(Resource)
class ResourceAdmin(ReadOnlyAdmin):
    list_display = ["created_at", "state_label", "failure", "type_name", "size", "space_id", "id"]
    list_filter = ["state", "failure", "media_type"]
    ordering = ["-created_at", "-pk"]
    search_fields = ["=id", "=space__id", "=uploaded_by__username"]
    fields = [
        *("id", "space_id", "state", "failure", "media_type", "size_bytes", "pages"),
        *("passage_count", "characters", "uploaded_by", "created_at", "read_at"),
    ]

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer("title", "file_name")

    @display(description=_("state"), ordering="state", label=_COLOURS)
    def state_label(self, resource: Resource) -> Label:
        return Label(resource.state, resource.get_state_display())

    @display(description=_("type"), ordering="media_type")
    def type_name(self, resource: Resource) -> str:
        return name_of(resource.media_type)

    @display(description=_("size"), ordering="size_bytes")
    def size(self, resource: Resource) -> str:
        return filesizeformat(resource.size_bytes)
