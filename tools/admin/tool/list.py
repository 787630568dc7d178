"""The list of tools: how each is, and what can be done with several."""

from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display
from unfold.views import ChangeList

from config.base.admin_base import AuditedModelAdmin, ConsoleChangeList, Label
from tools.admin.shown import STATUS_COLOURS
from tools.admin.tool.agents import holders_in_words, name_holders
from tools.admin.tool.bulk import switch_selected
from tools.admin.tool.form import ToolRowForm
from tools.configs import load_config
from tools.enums import CallStatus
from tools.errors import InvalidToolConfig, UnknownToolType
from tools.models import Tool, ToolCall

_HEALTH = {"ok": "success", "off": "", "broken": "danger", "changed": "warning"}


class ToolChangeList(ConsoleChangeList):
    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        name_holders(self.result_list)


class ToolList(AuditedModelAdmin):
    list_display = ["name", "slug", "type", "health", "agents", "last_call", "approval"]
    list_display += ["sort_order", "enabled"]
    list_editable = ["sort_order", "enabled"]
    list_filter = ["enabled", "needs_approval", "type"]
    search_fields = ["name", "slug"]
    actions = ["switch_on", "switch_off"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        calls = ToolCall.objects.filter(tool_slug=OuterRef("slug")).order_by("-created_at")
        annotated: QuerySet[Any] = rows.annotate(last_status=Subquery(calls.values("status")[:1]))
        return annotated

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return ToolChangeList

    def get_changelist_form(self, request: HttpRequest, **kwargs: Any) -> Any:
        return super().get_changelist_form(request, **{**kwargs, "form": ToolRowForm})

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

    @display(description=_("agents"), label={"none": "warning"})
    def agents(self, tool: Any) -> Label | str:
        return holders_in_words(tool.holders) or Label("none", _("none yet"))

    @display(description=_("last call"), label=STATUS_COLOURS)
    def last_call(self, tool: Any) -> Label | str:
        status: str | None = tool.last_status
        return Label(status, CallStatus(status).label) if status else "–"

    @admin.display(description=_("needs approval"), ordering="needs_approval")
    def approval(self, tool: Tool) -> Any:
        return _("yes") if tool.needs_approval else "–"
