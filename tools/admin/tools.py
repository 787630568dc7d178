"""Tool rows: configured in a form that knows the type's schema."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Model, OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget

from config.base.admin_base import AuditedModelAdmin, Label, PrettyJSONField, admin_actor
from tools.admin.shown import STATUS_COLOURS
from tools.admin.type_help import all_types_help, type_help
from tools.configs import load_config
from tools.enums import CallStatus
from tools.errors import InvalidToolConfig, UnknownToolType
from tools.models import Tool, ToolCall
from tools.registry import find_tool_type, list_tool_types
from tools.services import record_change, update_tool


class ToolForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    """`Tool.clean` judges type and config together."""

    type = forms.ChoiceField(label=_("Type"), widget=UnfoldAdminSelectWidget)
    config = PrettyJSONField(
        label=_("Config"),
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 12, "spellcheck": "false"}),
        help_text=_("JSON, by the schema below; what is left out has its default."),
    )

    class Meta:
        model = Tool
        fields = [
            "name",
            "slug",
            "description",
            "type",
            "config",
            "needs_approval",
            "enabled",
            "sort_order",
        ]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "type" not in self.fields:
            return  # somebody who may only look
        choices = [(found.name, found.label) for found in list_tool_types()]
        present = self.instance.type
        if present and find_tool_type(present) is None:
            choices.append((present, _("%(type)s (not installed)") % {"type": present}))
        self.fields["type"].choices = choices  # type: ignore[attr-defined]  # a ChoiceField


class ToolRowForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    """A row of the list: switched off or moved even when its type is gone or its config broken."""

    def _post_clean(self) -> None:
        """As Django's, without `Tool.clean`: neither type nor config is touched here."""
        for name, value in self.cleaned_data.items():
            if name != "id":
                setattr(self.instance, name, value)


@admin.register(Tool)
class ToolAdmin(AuditedModelAdmin):
    form = ToolForm
    list_display = ["name", "slug", "type", "health", "last_call", "approval"]
    list_display += ["sort_order", "enabled"]
    list_editable = ["sort_order", "enabled"]
    list_filter = ["enabled", "needs_approval", "type"]
    search_fields = ["name", "slug"]
    readonly_fields = ["type_help", "created_at", "updated_at"]
    fieldsets = [
        (None, {"fields": ["name", "slug", "description", "type"]}),
        (_("Config"), {"fields": ["config", "type_help"]}),
        (_("Use"), {"fields": ["enabled", "needs_approval", "sort_order"]}),
        (_("Times"), {"fields": ["created_at", "updated_at"]}),
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)
        calls = ToolCall.objects.filter(tool_slug=OuterRef("slug")).order_by("-created_at")
        annotated: QuerySet[Any] = rows.annotate(last_status=Subquery(calls.values("status")[:1]))
        return annotated

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
        assert isinstance(row, Tool)
        record_change(admin_actor(request), row, sorted(fields))

    @display(description=_("state"), label={"ok": "success", "off": "", "broken": "danger"})
    def health(self, tool: Tool) -> Label:
        try:
            load_config(tool.type, tool.config)
        except UnknownToolType:
            return Label("broken", _("broken: no such type"))
        except InvalidToolConfig:
            return Label("broken", _("broken: config does not fit"))
        return Label("ok", _("ready")) if tool.enabled else Label("off", _("off"))

    @display(description=_("last call"), label=STATUS_COLOURS)
    def last_call(self, tool: Any) -> Label | str:
        status: str | None = tool.last_status
        return Label(status, CallStatus(status).label) if status else "–"

    @admin.display(description=_("needs approval"), ordering="needs_approval")
    def approval(self, tool: Tool) -> Any:
        return _("yes") if tool.needs_approval else "–"

    @admin.display(description=_("what the type says"))
    def type_help(self, tool: Tool | None) -> Any:
        found = find_tool_type(tool.type) if tool and tool.type else None
        return type_help(found) if found else all_types_help()
