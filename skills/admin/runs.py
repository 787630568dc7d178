"""Uses of skills, readable: what ran for whom and how it ended. There is no content."""

from typing import Any

from django.contrib import admin
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from config.base.admin_base import Label, ReadOnlyAdmin, row_link, short_link
from config.base.admin_filters import times
from config.base.admin_paging import LogPaginator
from skills.enums import RunStatus
from skills.models import SkillRun
from tools.admin.shown import agent_link

_COLOURS: dict[str, str] = {
    RunStatus.SUCCEEDED: "success",
    RunStatus.RUNNING: "info",
    RunStatus.WAITING: "info",
    RunStatus.DENIED: "warning",
    RunStatus.INVALID: "warning",
    RunStatus.TIMEOUT: "danger",
    RunStatus.FAILED: "danger",
    RunStatus.CANCELLED: "warning",
    RunStatus.EXPIRED: "warning",
}


@admin.register(SkillRun)
class SkillRunAdmin(ReadOnlyAdmin):
    list_display = ["started_at", "skill", "kind", "user", "situation", "error_code", "duration_ms"]
    list_filter = [*times("started_at", _("from"), _("before"))]
    list_filter_submit = True
    paginator = LogPaginator
    list_select_related = ["user"]
    ordering = ["-started_at", "-pk"]
    sortable_by = ()
    search_fields = ["=user__username", "=skill_id", "=error_code"]
    fieldsets = [
        (None, {"fields": ["skill", "kind", "user", "situation", "error_code", "call"]}),
        (_("Where"), {"fields": ["agent", "conversation", "message_id", "number"]}),
        (_("Times"), {"fields": ["started_at", "finished_at", "duration_ms"]}),
        (_("Keys"), {"fields": ["id"]}),
    ]

    @admin.display(description=_("skill"))
    def skill(self, run: SkillRun) -> str:
        return str(run)

    @display(description=_("status"), label=_COLOURS)
    def situation(self, run: SkillRun) -> Label:
        return Label(run.status, run.get_status_display())

    @admin.display(description=_("tool call"))
    def call(self, run: SkillRun) -> Any:
        return short_link("tool_call", run.tool_call_id)

    @admin.display(description=_("agent"))
    def agent(self, run: SkillRun) -> Any:
        return agent_link(run.agent_id)

    @admin.display(description=_("conversation"))
    def conversation(self, run: SkillRun) -> Any:
        return row_link("conversation", run.conversation_id)
