"""What the operator's page of evaluations shows beside its list."""

from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from config.base.admin_charts import Chart, Series
from skills.enums import EvaluationState
from skills.evaluations.selectors import Standing, list_standings
from skills.models import SkillEvaluation

MOST_SHOWN = 60  # results: the bars of the chart
_COLOURS: dict[str, str] = {
    EvaluationState.PASSED: "success",
    EvaluationState.FAILED: "danger",
    EvaluationState.OUTDATED: "warning",
    EvaluationState.NEVER: "info",
}


@dataclass(frozen=True, slots=True)
class StandingRow:
    standing: Standing

    @property
    def colour(self) -> str:
        return _COLOURS[self.standing.state]

    @property
    def failed(self) -> list[dict[str, Any]]:
        latest = self.standing.latest
        return list(latest.failed) if latest else []


def standing_rows() -> list[StandingRow]:
    return [StandingRow(one) for one in list_standings()]


def describe_trend() -> dict[str, Any]:
    """The last results, oldest first: what passed, what failed and what had become worse."""
    newest = SkillEvaluation.objects.order_by("-evaluated_at", "-pk")
    rows = newest.defer("passed", "failed")[:MOST_SHOWN][::-1]
    failed = [row.failed_count - row.regression_count for row in rows]
    series = [
        Series(_("passed"), "success", [row.passed_count for row in rows]),
        Series(_("failed"), "denied", failed),
        Series(_("regressions"), "error", [row.regression_count for row in rows]),
    ]
    chart = Chart(_("Cases of the latest results"), [_label(row) for row in rows], series)
    return {"chart": chart, "legend": [one for one in series if one.total]}


def _label(row: SkillEvaluation) -> str:
    when = date_format(timezone.localtime(row.evaluated_at), "j M H:i")
    return f"{when} · {row.skill_id}"


def failed_table(row: SkillEvaluation) -> SafeString | str:
    if not row.failed:
        return _("Nothing failed.")
    context = {"failed": row.failed}
    return mark_safe(render_to_string("admin/skills/failed_cases.html", context))  # noqa: S308  (our template)
