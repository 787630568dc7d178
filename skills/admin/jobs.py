"""Which jobs are of skills, readable: in which version, by which grants. The job is apart."""

from typing import Any

from django.contrib import admin
from django.utils.html import format_html_join
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from config.base.admin_base import Label, ReadOnlyAdmin, present_link, row_link, short_time
from config.base.admin_paging import LogPaginator
from jobs.admin.shown import STATUS_COLOURS
from skills.models import SkillJob
from tools.admin.shown import agent_link


@admin.register(SkillJob)
class SkillJobAdmin(ReadOnlyAdmin):
    list_display = ["created_at", "skill", "user", "state", "due", "job_of", "series_of"]
    paginator = LogPaginator
    list_select_related = ["user", "job", "series"]
    ordering = ["-created_at", "-pk"]
    sortable_by = ()
    search_fields = ["=user__username", "=skill_id"]
    fieldsets = [
        (None, {"fields": ["skill", "user", "job", "series", "grants"]}),
        (_("Where"), {"fields": ["agent", "conversation"]}),
        (_("Keys"), {"fields": ["id", "created_at"]}),
    ]

    @admin.display(description=_("skill"))
    def skill(self, row: SkillJob) -> str:
        return str(row)

    @admin.display(description=_("permission grants"))
    def grants(self, row: SkillJob) -> Any:
        links = [(row_link("permission_grant", key),) for key in row.grant_ids]
        return format_html_join(", ", "{}", links) or "–"

    @display(description=_("status"), label=STATUS_COLOURS)
    def state(self, row: SkillJob) -> Label:
        """Of the job, or whether its series goes on."""
        if row.job is not None:
            return Label(row.job.status, row.job.get_status_display())
        goes_on = row.series is not None and row.series.ended_at is None
        return Label(
            "scheduled" if goes_on else "cancelled", _("repeats") if goes_on else _("ended")
        )

    @admin.display(description=_("due"))
    def due(self, row: SkillJob) -> Any:
        if row.job is not None:
            return short_time(row.job.scheduled_at)
        return row.series.cron if row.series else "–"

    @admin.display(description=_("job"))
    def job_of(self, row: SkillJob) -> Any:
        return present_link("job", row.job_id, f"…{str(row.job_id)[-8:]}") if row.job_id else "–"

    @admin.display(description=_("series"))
    def series_of(self, row: SkillJob) -> Any:
        key = row.series_id
        return present_link("jobseries", key, f"…{str(key)[-8:]}") if key else "–"

    @admin.display(description=_("agent"))
    def agent(self, row: SkillJob) -> Any:
        return agent_link(row.agent_id)

    @admin.display(description=_("conversation"))
    def conversation(self, row: SkillJob) -> Any:
        return row_link("conversation", row.conversation_id)
