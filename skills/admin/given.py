"""Grants of people, which operators give and revoke, and their switches, readable; above them
the skills that are installed.
"""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from unfold.decorators import action, display

from config.base.admin_base import Label, ReadOnlyAdmin, admin_actor
from config.base.admin_filters import times
from config.base.admin_paging import LogPaginator
from skills.console.granting import grant_page
from skills.console.manifests import skill_page, skills_page
from skills.enums import GrantStatus
from skills.grants import revoke_as_operator
from skills.models import PermissionGrant, SkillBinding
from tools.admin.shown import agent_link

_COLOURS: dict[str, str] = {GrantStatus.ACTIVE: "success", GrantStatus.REVOKED: "danger"}


@admin.register(PermissionGrant)
class PermissionGrantAdmin(ReadOnlyAdmin):
    list_display = ["granted_at", "user", "skill_id", "code", "reach", "situation", "version"]
    list_filter = [*times("granted_at", _("from"), _("before"))]
    list_filter_submit = True
    paginator = LogPaginator
    list_select_related = ["user"]
    ordering = ["-granted_at", "-pk"]
    sortable_by = ()
    search_fields = ["=user__username", "=skill_id", "=code"]
    actions = ["revoke"]
    actions_list = ("grant", "installed")  # type: ignore[assignment]  # unfold says: none
    fieldsets = [
        (None, {"fields": ["user", "skill_id", "code", "agent", "situation", "version"]}),
        (_("Times"), {"fields": ["granted_at", "granted_by", "revoked_at", "revoked_by"]}),
        (_("Keys"), {"fields": ["id"]}),
    ]

    def get_urls(self) -> list[URLPattern]:
        own = path(
            "installed/<slug:skill_id>/<str:version>/",
            self.admin_site.admin_view(self.manifest_page),
            name="skills_permissiongrant_manifest",
        )
        return [own, *super().get_urls()]

    @action(
        description=_("Installed skills"),
        url_path="installed",
        icon="extension",
        permissions=["view"],
    )
    def installed(self, request: HttpRequest) -> HttpResponse:
        return skills_page(self, request)

    def manifest_page(self, request: HttpRequest, skill_id: str, version: str) -> HttpResponse:
        return skill_page(self, request, skill_id, version)

    def has_grant_permission(self, request: HttpRequest, _key: object = None) -> bool:
        return bool(request.user.has_perm("skills.add_permissiongrant"))

    @action(
        description=_("Grant a permission to a person"),
        url_path="grant",
        icon="key",
        permissions=["grant"],
    )
    def grant(self, request: HttpRequest) -> HttpResponse:
        return grant_page(self, request)

    @display(description=_("state"), label=_COLOURS)
    def situation(self, grant: PermissionGrant) -> Label:
        return Label(grant.status, grant.status.label)

    @admin.display(description=_("for"))
    def reach(self, grant: PermissionGrant) -> Any:
        return grant.scope.label

    @admin.display(description=_("agent"))
    def agent(self, grant: PermissionGrant) -> Any:
        return agent_link(grant.agent_id) if grant.agent_id else grant.scope.label

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("skills.change_permissiongrant"))

    @admin.action(description=_("Revoke the selected grants"), permissions=["revoke"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[PermissionGrant]) -> None:
        chosen = list(queryset.filter(revoked_at=None).values_list("pk", flat=True))
        for pk in chosen:
            revoke_as_operator(admin_actor(request), pk)
        done = ngettext("%(n)d grant revoked.", "%(n)d grants revoked.", len(chosen))
        messages.success(request, done % {"n": len(chosen)})


@admin.register(SkillBinding)
class SkillBindingAdmin(ReadOnlyAdmin):
    list_display = ["user", "skill_id", "reach", "enabled", "updated_at"]
    paginator = LogPaginator
    list_select_related = ["user"]
    ordering = ["-pk"]
    sortable_by = ()
    search_fields = ["=user__username", "=skill_id"]
    fields = ["user", "skill_id", "agent", "enabled", "updated_at", "id"]

    @admin.display(description=_("for"))
    def reach(self, binding: SkillBinding) -> Any:
        return _("one agent") if binding.agent_id else _("all agents")

    @admin.display(description=_("agent"))
    def agent(self, binding: SkillBinding) -> Any:
        return agent_link(binding.agent_id) if binding.agent_id else _("all agents")
