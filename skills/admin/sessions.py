"""Workflows, readable: what was asked and how they moved. What was answered is not shown."""

from typing import Any

from django.contrib import admin
from django.utils.html import format_html_join
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from config.base.admin_base import Label, ReadOnlyAdmin, row_link, short_link
from config.base.admin_filters import times
from config.base.admin_paging import LogPaginator
from skills.enums import SessionState
from skills.models import WorkflowSession
from skills.workflows.installed import skill_of
from tools.admin.shown import agent_link

_COLOURS: dict[str, str] = {
    SessionState.ACTIVE: "info",
    SessionState.PAUSED: "warning",
    SessionState.COMPLETED: "success",
    SessionState.CANCELLED: "danger",
    SessionState.EXPIRED: "danger",
}


@admin.register(WorkflowSession)
class WorkflowSessionAdmin(ReadOnlyAdmin):
    list_display = ["created_at", "skill", "user", "situation", "step", "expires_at"]
    list_filter = [*times("created_at", _("from"), _("before"))]
    list_filter_submit = True
    paginator = LogPaginator
    list_select_related = ["user"]
    ordering = ["-created_at", "-pk"]
    sortable_by = ()
    search_fields = ["=user__username", "=skill_id"]
    fieldsets = [
        (None, {"fields": ["skill", "user", "situation", "step", "answered", "call"]}),
        (_("Moves"), {"fields": ["moves"]}),
        (_("Where"), {"fields": ["agent", "conversation", "message_id"]}),
        (_("Times"), {"fields": ["created_at", "updated_at", "expires_at", "finished_at"]}),
        (_("Keys"), {"fields": ["id", "revision"]}),
    ]

    @admin.display(description=_("skill"))
    def skill(self, session: WorkflowSession) -> str:
        return str(session)

    @display(description=_("state"), label=_COLOURS)
    def situation(self, session: WorkflowSession) -> Label:
        return Label(session.state, session.get_state_display())

    @admin.display(description=_("answered"))
    def answered(self, session: WorkflowSession) -> str:
        """The names of steps that the definition has: never a word of a person's."""
        skill = skill_of(session)
        names = [step.name for step in skill.steps] if skill else []
        return ", ".join(name for name in names if session.answers.get(name) is not None) or "-"

    @admin.display(description=_("moves"))
    def moves(self, session: WorkflowSession) -> Any:
        rows = ((one.n, one.get_kind_display(), one.step) for one in session.moves.all())
        return format_html_join("", "<div>{} {} {}</div>", rows) or "-"

    @admin.display(description=_("tool call"))
    def call(self, session: WorkflowSession) -> Any:
        return short_link("tool_call", session.tool_call_id)

    @admin.display(description=_("agent"))
    def agent(self, session: WorkflowSession) -> Any:
        return agent_link(session.agent_id)

    @admin.display(description=_("conversation"))
    def conversation(self, session: WorkflowSession) -> Any:
        return row_link("conversation", session.conversation_id)
