"""Tool rows: configured in a form that knows the type's schema."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.db.models import Model, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action, display

from config.base.admin_base import AuditedModelAdmin, Label, admin_actor, named
from config.base.ids import uuid7
from tools.admin.bulk import switch_selected
from tools.admin.charts import charts_page
from tools.admin.mcp_descriptor import descriptor_page
from tools.admin.mcp_import import import_page as mcp_import_page
from tools.admin.openapi.pages import import_page as openapi_import_page
from tools.admin.schema.part import SchemaPart
from tools.admin.shown import STATUS_COLOURS
from tools.admin.tool_form import ToolForm, ToolRowForm, config_part
from tools.admin.try_form import TryForm
from tools.admin.try_it import try_tool
from tools.admin.type_help import all_types_help, type_help
from tools.admin.type_pages import type_link, type_page, types_page
from tools.budgets import day_of, shown
from tools.configs import load_config
from tools.enums import CallStatus
from tools.errors import InvalidToolConfig, UnknownToolType
from tools.models import Tool, ToolCall
from tools.openapi.services import may_import
from tools.quotas import used_on
from tools.registry import find_tool_type
from tools.services import record_change, record_deletion, update_tool

_HEALTH = {"ok": "success", "off": "", "broken": "danger", "changed": "warning"}


@admin.register(Tool)
class ToolAdmin(AuditedModelAdmin):
    form = ToolForm
    list_display = ["name", "slug", "type", "health", "last_call", "approval"]
    list_display += ["sort_order", "enabled"]
    list_editable = ["sort_order", "enabled"]
    list_filter = ["enabled", "needs_approval", "type"]
    search_fields = ["name", "slug"]
    actions = ["switch_on", "switch_off"]
    readonly_fields = ["type_help", "calls_today", "created_at", "updated_at"]
    actions_list = ("types", "import_openapi", "import_mcp")  # type: ignore[assignment]  # unfold says: none
    actions_detail = ("try_it", "charts")  # type: ignore[assignment]  # as above
    actions_row = ("try_it", "charts")  # type: ignore[assignment]  # as above
    change_form_before_template = "admin/tools/tool/shown.html"  # type: ignore[assignment]  # unfold says None

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        calls = ToolCall.objects.filter(tool_slug=OuterRef("slug")).order_by("-created_at")
        annotated: QuerySet[Any] = rows.annotate(last_status=Subquery(calls.values("status")[:1]))
        return annotated

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        own = [
            path("calls/<path:tool_slug>/", view(self.calls_page), name="tools_tool_calls"),
            path("types/<slug:tool_type>/", view(self.type_page), name="tools_tool_type"),
            path(
                "<uuid:tool_id>/descriptor/",
                view(self.descriptor_page),
                name="tools_tool_descriptor",
            ),
        ]
        return [*own, *super().get_urls()]

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> Any:
        if not self._may_edit(request, obj):
            return super().get_form(request, obj, change, **kwargs)
        part, shown = self._part(request, obj)
        members = {"part": part, "type_shown": shown, **part.fields()}
        form = type("ToolForm", (ToolForm,), members)
        return super().get_form(request, obj, change, **{**kwargs, "form": form})

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Fields of the type's schema, the JSON behind them a click away."""
        names = self._part(request, obj)[0].field_names if self._may_edit(request, obj) else []
        folded = ["collapse"] if names else []
        sets: list[tuple[Any, Any]] = [
            (None, {"fields": ["name", "slug", "description", "type"]}),
            (_("Settings"), {"fields": names}),
            (_("Settings as JSON"), {"fields": ["config"], "classes": folded}),
            (_("What the type says"), {"fields": ["type_help"], "classes": folded}),
            (
                _("Use"),
                {
                    "fields": [
                        "enabled",
                        "needs_approval",
                        "calls_per_day",
                        "calls_today",
                        "sort_order",
                    ]
                },
            ),
            (_("Times"), {"fields": ["created_at", "updated_at"]}),
        ]
        return [(title, options) for title, options in sets if options["fields"]]

    @action(description=_("Try it"), url_path="try-it", icon="play_arrow", permissions=["change"])
    def try_it(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The test panel."""
        tool = self.get_object(request, object_id)
        if tool is None:
            return self._gone(request)
        form = TryForm(tool, request.POST if request.method == "POST" else None)
        trial = try_tool(tool, form, request) if form.is_bound and form.is_valid() else None
        title = _("Try %(name)s") % {"name": tool}
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "original": named(tool, title),
            "title": title,
            "form": form,
            "key": uuid7() if trial else form["key"].value(),
            "trial": trial,
            "about": type_link(tool.type) if find_tool_type(tool.type) else "",
        }
        return TemplateResponse(request, "admin/tools/tool/try.html", context)

    def has_see_calls_permission(self, request: HttpRequest, _key: object = None) -> bool:
        """By its name as unfold's checks would ask a database that may not have its tables yet."""
        return request.user.has_perm("tools.view_toolcall")

    @action(description=_("Charts"), url_path="charts", icon="bar_chart", permissions=["see_calls"])
    def charts(self, request: HttpRequest, object_id: str) -> HttpResponse:
        tool = self.get_object(request, object_id)
        if tool is None:
            return self._gone(request)
        return HttpResponseRedirect(reverse("admin:tools_tool_calls", args=[tool.slug]))

    def calls_page(self, request: HttpRequest, tool_slug: str) -> HttpResponse:
        return charts_page(self, request, tool_slug)

    @action(description=_("Types"), url_path="types", icon="menu_book", permissions=["view"])
    def types(self, request: HttpRequest) -> HttpResponse:
        return types_page(self, request)

    def has_import_openapi_permission(self, request: HttpRequest, _key: object = None) -> bool:
        return may_import(admin_actor(request))

    @action(
        description=_("Import from OpenAPI"),
        url_path="import-openapi",
        icon="upload_file",
        permissions=["import_openapi"],
    )
    def import_openapi(self, request: HttpRequest) -> HttpResponse:
        return openapi_import_page(self, request)

    def type_page(self, request: HttpRequest, tool_type: str) -> HttpResponse:
        return type_page(self, request, tool_type)

    @action(
        description=_("Import from an MCP server"),
        url_path="import-mcp",
        icon="download",
        permissions=["add"],
    )
    def import_mcp(self, request: HttpRequest) -> HttpResponse:
        return mcp_import_page(self, request)

    def descriptor_page(self, request: HttpRequest, tool_id: UUID) -> HttpResponse:
        """Of a tool of an MCP server, that may have changed."""
        return descriptor_page(self, request, tool_id)

    def _gone(self, request: HttpRequest) -> HttpResponse:
        words = _("There is no such tool. Perhaps it was deleted? Its calls are in the log.")
        messages.warning(request, words)
        return HttpResponseRedirect(reverse("admin:tools_tool_changelist"))

    def _may_edit(self, request: HttpRequest, tool: Tool | None) -> bool:
        if tool is None:
            return self.has_add_permission(request)
        return self.has_change_permission(request, tool)

    def _part(self, request: HttpRequest, tool: Tool | None) -> tuple[SchemaPart, str]:
        asked = request.POST.get("type") or (request.GET.get("type") if tool is None else None)
        data = request.POST if request.method == "POST" else None
        return config_part(asked or (tool.type if tool else ""), tool, data)

    def get_changelist_form(self, request: HttpRequest, **kwargs: Any) -> Any:
        return super().get_changelist_form(request, **{**kwargs, "form": ToolRowForm})

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """A change writes what was changed in the form, not what somebody else changed since."""
        if not change:
            super().save_model(request, obj, form, change)
            return
        values = {name: form.cleaned_data[name] for name in form.changed_data}
        update_tool(admin_actor(request), obj.pk, **values)

    def record_change(self, request: HttpRequest, row: Model, fields: Iterable[str]) -> None:
        """Of what the form saves or deletes itself; what it changes goes by the service."""
        assert isinstance(row, Tool)
        if fields == ["deleted"]:
            record_deletion(admin_actor(request), row)
        else:
            record_change(admin_actor(request), row, sorted(fields), before={})

    @admin.action(description=_("Switch the selected tools on"), permissions=["change"])
    def switch_on(self, request: HttpRequest, queryset: QuerySet[Tool]) -> None:
        switch_selected(request, queryset, enabled=True)

    @admin.action(description=_("Switch the selected tools off"), permissions=["change"])
    def switch_off(self, request: HttpRequest, queryset: QuerySet[Tool]) -> None:
        switch_selected(request, queryset, enabled=False)

    @display(description=_("state"), label=_HEALTH)
    def health(self, tool: Tool) -> Label:
        try:
            load_config(tool.type, tool.config)
        except UnknownToolType:
            return Label("broken", _("broken: no such type"))
        except InvalidToolConfig:
            return Label("broken", _("broken: config does not fit"))
        if tool.config.get("changed_descriptor"):
            return Label("changed", _("changed at its server"))
        return Label("ok", _("ready")) if tool.enabled else Label("off", _("off"))

    @display(description=_("last call"), label=STATUS_COLOURS)
    def last_call(self, tool: Any) -> Label | str:
        status: str | None = tool.last_status
        return Label(status, CallStatus(status).label) if status else "–"

    @admin.display(description=_("needs approval"), ordering="needs_approval")
    def approval(self, tool: Tool) -> Any:
        return _("yes") if tool.needs_approval else "–"

    @admin.display(description=_("used of it today"))
    def calls_today(self, tool: Tool) -> Any:
        if not tool.calls_per_day:
            return "–"
        used = used_on(tool, day_of(timezone.now()))
        return f"{shown(used)} / {shown(tool.calls_per_day)}"

    @admin.display(description=_("what the type says"))
    def type_help(self, tool: Tool | None) -> Any:
        found = find_tool_type(tool.type) if tool and tool.type else None
        return type_help(found) if found else all_types_help()
