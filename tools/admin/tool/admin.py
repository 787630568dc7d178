"""Tool rows: configured in a form that knows the type's schema."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from config.base.admin_base import admin_actor
from tools.admin.schema.part import SchemaPart
from tools.admin.tool.agents import agents_context, tell_if_nobody_has
from tools.admin.tool.form import ToolForm, config_part
from tools.admin.tool.list import ToolList
from tools.admin.tool.pages import ToolPages
from tools.admin.tool.type_help import all_types_help, type_help
from tools.budgets.limits import day_of, shown
from tools.budgets.quotas import used_on
from tools.models import Tool
from tools.registry import find_tool_type
from tools.services import FIELDS, create_tool, delete_tool, update_tool


@admin.register(Tool)
class ToolAdmin(ToolList, ToolPages):
    """What it changes goes by the services, which audit."""

    form = ToolForm
    readonly_fields = ["type_help", "calls_today", "created_at", "updated_at"]
    change_form_before_template = "admin/tools/tool/shown.html"  # type: ignore[assignment]  # unfold says None
    change_form_outer_after_template = "admin/tools/tool/agents.html"  # type: ignore[assignment]  # as above

    def render_change_form(
        self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any
    ) -> Any:
        """With who has it; a new one nobody has."""
        tool = kwargs.get("obj") or context.get("original")
        agents = agents_context(request, [tool]) if tool else None
        return super().render_change_form(request, {**context, "agents": agents}, *args, **kwargs)

    def response_add(
        self, request: HttpRequest, obj: Any, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        response = super().response_add(request, obj, *args, **kwargs)
        tell_if_nobody_has(request, obj)
        return response

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

    def _may_edit(self, request: HttpRequest, tool: Tool | None) -> bool:
        if tool is None:
            return self.has_add_permission(request)
        return self.has_change_permission(request, tool)

    def _part(self, request: HttpRequest, tool: Tool | None) -> tuple[SchemaPart, str]:
        asked = request.POST.get("type") or (request.GET.get("type") if tool is None else None)
        data = request.POST if request.method == "POST" else None
        return config_part(asked or (tool.type if tool else ""), tool, data)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """A change writes what was changed in the form, not what somebody else changed since."""
        if change:
            values = {name: form.cleaned_data[name] for name in form.changed_data}
            update_tool(admin_actor(request), obj.pk, **values)
            return
        values = {name: form.cleaned_data[name] for name in FIELDS}
        obj.pk, obj._state.adding = create_tool(admin_actor(request), **values).pk, False

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        delete_tool(admin_actor(request), obj.pk)

    @admin.display(description=_("used of it today"))
    def calls_today(self, tool: Tool) -> Any:
        if not tool.calls_per_day:
            return _("not counted: there is no limit")
        used = used_on(tool, day_of(timezone.now()))
        return f"{shown(used)} / {shown(tool.calls_per_day)}"

    @admin.display(description=_("what the type says"))
    def type_help(self, tool: Tool | None) -> Any:
        found = find_tool_type(tool.type) if tool and tool.type else None
        return type_help(found) if found else all_types_help()
