"""How skills stood by their own cases, readable; and running them again."""

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from unfold.decorators import action, display

from config.base.admin_base import Label, ReadOnlyAdmin, admin_actor
from config.base.admin_charts import share_bar
from config.base.admin_filters import times
from config.base.admin_paging import LogPaginator
from config.base.errors import GatehouseError
from skills.console.evaluations import describe_trend, failed_table, standing_rows
from skills.evaluations.services import evaluate_skills
from skills.models import SkillEvaluation

_COLOURS = {"passed": "success", "failed": "warning", "regression": "danger"}
_LIST = "admin:skills_skillevaluation_changelist"


@admin.register(SkillEvaluation)
class SkillEvaluationAdmin(ReadOnlyAdmin):
    list_display = ["evaluated_at", "skill", "situation", "passed_of", "evaluated_by"]
    list_filter = [*times("evaluated_at", _("from"), _("before"))]
    list_filter_submit = True
    list_before_template = "admin/skills/evaluations.html"  # type: ignore[assignment]  # unfold: None
    actions_list = ("evaluate_page",)  # type: ignore[assignment]  # as above
    paginator = LogPaginator
    list_select_related = ["evaluated_by"]
    ordering = ["-evaluated_at", "-pk"]
    sortable_by = ()
    search_fields = ["=skill_id"]
    fieldsets = [
        (None, {"fields": ["skill", "situation", "passed_of", "evaluated_at", "evaluated_by"]}),
        (_("What failed"), {"fields": ["what_failed"]}),
        (_("Keys"), {"fields": ["id"]}),
    ]

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        shown = {"standings": standing_rows(), "trend": describe_trend()}
        return super().changelist_view(request, {**(extra_context or {}), **shown})

    def has_evaluate_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("skills.add_skillevaluation"))

    @action(description=_("Run"), url_path="evaluate", icon="fact_check", permissions=["evaluate"])
    def evaluate_page(self, request: HttpRequest) -> HttpResponse:
        if request.method == "POST":
            self._evaluate(request)
            return HttpResponseRedirect(reverse(_LIST))
        frame = {**self.admin_site.each_context(request), "opts": self.opts}
        shown = {**frame, "title": _("Evaluate the skills"), "standings": standing_rows()}
        return TemplateResponse(request, "admin/skills/evaluate.html", shown)

    def _evaluate(self, request: HttpRequest) -> None:
        try:
            rows = evaluate_skills(admin_actor(request))
        except GatehouseError as error:
            messages.error(request, error.message)
            return
        failed = sum(row.failed_count for row in rows)
        if failed:
            said = ngettext("%(n)d case failed.", "%(n)d cases failed.", failed) % {"n": failed}
            messages.error(request, said)
        else:
            cases = sum(row.case_count for row in rows)
            messages.success(request, _now("All %(n)d cases passed.") % {"n": cases})

    @admin.display(description=_("skill"))
    def skill(self, row: SkillEvaluation) -> str:
        return str(row)

    @display(description=_("result"), label=_COLOURS)
    def situation(self, row: SkillEvaluation) -> Label:
        n = row.regression_count or row.failed_count
        if row.regression_count:
            return Label(
                "regression", ngettext("%(n)d regression", "%(n)d regressions", n) % {"n": n}
            )
        if row.failed_count:
            return Label("failed", ngettext("%(n)d failed", "%(n)d failed", n) % {"n": n})
        return Label("passed", _("all passed"))

    @admin.display(description=_("passed"))
    def passed_of(self, row: SkillEvaluation) -> Any:
        figures = _now("%(n)d of %(all)d") % {"n": row.passed_count, "all": row.case_count}
        return format_html("{}{}", figures, share_bar(row.share))

    @admin.display(description=_("cases"))
    def what_failed(self, row: SkillEvaluation) -> Any:
        return failed_table(row)
