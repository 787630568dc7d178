"""Agents and the models they speak with are configured; what people said with them is not shown."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from unfold.admin import TabularInline
from unfold.decorators import display
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminNullBooleanSelectWidget,
)

from agents.model_clients.resolve import describe_environment_model
from agents.models import Agent, AgentTool, Conversation, Message, ModelProfile, Run, RunStatus
from config.base.admin_base import AuditedModelAdmin, Label, ReadOnlyAdmin, row_link, search_link
from config.base.models import Role

_RUN_COLOURS: dict[str, str] = {
    RunStatus.COMPLETED: "success",
    RunStatus.FAILED: "danger",
    RunStatus.WAITING: "warning",
    RunStatus.QUEUED: "info",
    RunStatus.RUNNING: "info",
}


@admin.register(ModelProfile)
class ModelProfileAdmin(AuditedModelAdmin):
    list_display = ["name", "model", "base_url", "external", "sort_order"]
    list_filter = ["external"]
    search_fields = ["name", "model"]


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
        if "needs_approval" in self.fields:  # not for somebody who may only look
            choices = [("unknown", _("As the tool says")), ("true", _("Yes")), ("false", _("No"))]
            self.fields["needs_approval"].widget.choices = choices


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
    list_display = ["name", "slug", "mode", "model_profile", "max_steps", "enabled"]
    list_filter = ["enabled", "mode"]
    list_select_related = ["model_profile"]
    search_fields = ["name", "slug"]
    prepopulated_fields = {"slug": ["name"]}
    readonly_fields = ["created_at"]
    inlines = [AgentToolInline]
    fieldsets = [
        (None, {"fields": ["name", "slug", "instructions", "enabled"]}),
        (_("Model"), {"fields": ["model_profile", "mode", "max_steps"]}),
        (_("Access"), {"fields": ["roles"]}),
        (_("Times"), {"fields": ["created_at"]}),
    ]


@admin.register(Conversation)
class ConversationAdmin(ReadOnlyAdmin):
    """Whose, when, how much; its title is the person's own words and stays out too."""

    list_display = ["created_at", "owner", "agent", "project", "message_count", "updated_at"]
    list_display_links = ["created_at"]
    list_filter = ["agent", "created_at"]
    list_select_related = ["owner", "agent", "project"]
    ordering = ["-updated_at", "-pk"]
    search_fields = ["=owner__username"]
    fields = ["id", "owner", "agent", "project", "message_count", "context_version", "unread"]
    fields += ["last_reply_at", "created_at", "updated_at"]


@admin.register(Message)
class MessageAdmin(ReadOnlyAdmin):
    list_display = ["created_at", "conversation", "position", "role", "sources", "run"]
    list_filter = ["role", "created_at"]
    list_select_related = ["conversation", "run"]
    ordering = ["-created_at", "-pk"]
    search_fields = ["=conversation__owner__username"]
    fields = ["id", "conversation", "position", "role", "sources", "run", "draft", "created_at"]

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).defer("text")

    @admin.display(description=_("provenance"))
    def sources(self, message: Message) -> str:
        return ", ".join(message.provenance) or "–"

    @admin.display(description=_("draft"))
    def draft(self, message: Message) -> Any:
        return row_link("action_draft", message.draft_id)


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    list_display = ["created_at", "owner", "agent", "situation", "response_status", "origin"]
    list_display += ["input_tokens", "output_tokens", "duration", "error_code"]
    list_filter = ["status", "response_status", "agent", "created_at"]
    list_select_related = ["owner", "agent"]
    ordering = ["-created_at", "-pk"]
    search_fields = ["=id", "=owner__username"]
    fieldsets = [
        (
            None,
            {"fields": ["id", "owner", "agent", "project", "conversation", "situation", "trail"]},
        ),
        (_("Answer"), {"fields": ["response_status", "intent", "tools", "warnings"]}),
        (_("Error"), {"fields": ["error_code", "error_message"]}),
        (_("Request"), {"fields": ["client", "origin", "role", "enable_tools", "unattended"]}),
        (_("Cost"), {"fields": ["input_tokens", "output_tokens", "cost_usd"]}),
        (_("Times"), {"fields": ["created_at", "started_at", "finished_at", "duration"]}),
        (_("Lease"), {"fields": ["revision", "lease_owner", "lease_expires_at"]}),
    ]

    @display(description=_("status"), ordering="status", label=_RUN_COLOURS)
    def situation(self, run: Run) -> Label:
        return Label(run.status, run.get_status_display())

    @admin.display(description=_("what it did"))
    def trail(self, run: Run) -> Any:
        calls = search_link("tools_toolcall", run.pk, _("tool calls"))
        return format_html(
            "{} · {}", calls, search_link("skills_auditevent", run.pk, _("audit events"))
        )

    @admin.display(description=_("duration"))
    def duration(self, run: Run) -> str:
        if run.started_at is None or run.finished_at is None:
            return "–"
        return f"{(run.finished_at - run.started_at).total_seconds():.1f} s"
