"""Which jobs are of skills, readable: in which version, by which grant. The job itself is apart."""

from typing import Any

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from config.base.admin_base import ReadOnlyAdmin, row_link
from config.base.admin_paging import LogPaginator
from skills.models import SkillJob
from tools.admin.shown import agent_link


@admin.register(SkillJob)
class SkillJobAdmin(ReadOnlyAdmin):
    list_display = ["created_at", "skill", "user", "job", "series", "grant"]
    paginator = LogPaginator
    list_select_related = ["user", "job", "series", "grant"]
    ordering = ["-created_at", "-pk"]
    sortable_by = ()
    search_fields = ["=user__username", "=skill_id"]
    fieldsets = [
        (None, {"fields": ["skill", "user", "job", "series", "grant"]}),
        (_("Where"), {"fields": ["agent", "conversation"]}),
        (_("Keys"), {"fields": ["id", "created_at"]}),
    ]

    @admin.display(description=_("skill"))
    def skill(self, row: SkillJob) -> str:
        return str(row)

    @admin.display(description=_("agent"))
    def agent(self, row: SkillJob) -> Any:
        return agent_link(row.agent_id)

    @admin.display(description=_("conversation"))
    def conversation(self, row: SkillJob) -> Any:
        return row_link("conversation", row.conversation_id)
