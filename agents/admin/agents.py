"""Agents: what they are told, whom they speak with, what they may use."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.admin import TabularInline
from unfold.contrib.filters.admin import RelatedDropdownFilter
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminNullBooleanSelectWidget,
)

from agents.model_clients.resolve import describe_environment_model, describe_models
from agents.models import Agent, AgentTool
from agents.models.agent import MAX_FALLBACKS
from config.base.admin_base import AuditedModelAdmin
from config.base.models import Role
from tools.models import Tool


class AgentToolForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    needs_approval = forms.NullBooleanField(
        label=_("Needs approval"),
        widget=UnfoldAdminNullBooleanSelectWidget,
        help_text=_("It can only add approval to what the tool requires."),
    )

    class Meta:
        model = AgentTool
        fields = ["tool", "enabled", "needs_approval"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "tool" in self.fields:
            self.fields["tool"].label_from_instance = _tool_label  # type: ignore[attr-defined]  # a ModelChoiceField
        if "needs_approval" in self.fields:  # not for somebody who may only look
            choices = [("unknown", _("As the tool says")), ("true", _("Yes")), ("false", _("No"))]
            self.fields["needs_approval"].widget.choices = choices


def _tool_label(tool: Tool) -> str:
    """Several may have one name; of an import the slug begins with its server."""
    return f"{tool} · {tool.slug}"


class AgentToolInline(TabularInline):
    model = AgentTool
    form = AgentToolForm
    extra = 0
    fields = ["tool", "enabled", "needs_approval"]

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).select_related("tool")


class AgentForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    roles = forms.MultipleChoiceField(
        choices=Role.choices,
        required=False,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        label=_("Roles"),
        help_text=_("Who may use it; none: everybody."),
    )

    class Meta:
        model = Agent
        fields = "__all__"  # noqa: DJ007  (the fieldsets choose)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "model_profile" in self.fields:  # not for somebody who may only look
            self.fields["model_profile"].help_text = _("None: %(model)s.") % {
                "model": describe_environment_model()
            }


@admin.register(Agent)
class AgentAdmin(AuditedModelAdmin):
    form = AgentForm
    list_display = ["name", "slug", "mode", "in_effect", "max_steps", "enabled"]
    list_filter = ["enabled", "mode", ("model_profile", RelatedDropdownFilter)]
    list_filter_submit = True
    list_select_related = ["__".join(["model_profile", *["fallback"] * MAX_FALLBACKS])]
    search_fields = ["name", "slug"]
    prepopulated_fields = {"slug": ["name"]}
    readonly_fields = ["in_effect", "created_at"]
    inlines = [AgentToolInline]
    fieldsets = [
        (None, {"fields": ["name", "slug", "instructions", "enabled"]}),
        (_("Model"), {"fields": ["model_profile", "in_effect", "mode", "max_steps"]}),
        (_("Access"), {"fields": ["roles"]}),
        (_("Times"), {"fields": ["created_at"]}),
    ]

    @admin.display(description=_("model in effect"), ordering="model_profile__name")
    def in_effect(self, agent: Agent) -> str:
        return describe_models(agent)
