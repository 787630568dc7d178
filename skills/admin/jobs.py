"""Which jobs are of skills, readable: in which version, by which grants. The job is apart."""

from typing import Any

from django.contrib import admin
from django.utils.html import format_html_join
from django.utils.translation import gettext_lazy as _

from config.base.admin_base import ReadOnlyAdmin, row_link
from config.base.admin_paging import LogPaginator
from skills.models import SkillJob
from tools.admin.shown import agent_link


@admin.register(SkillJob)
class SkillJobAdmin(ReadOnlyAdmin):
    list_display = ["created_at", "skill", "user", "job", "series"]
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

    @admin.display(description=_("agent"))
    def agent(self, row: SkillJob) -> Any:
        return agent_link(row.agent_id)

    @admin.display(description=_("conversation"))
    def conversation(self, row: SkillJob) -> Any:
        return row_link("conversation", row.conversation_id)
