"""What the console's first page shows, for one period (UNFOLD's DASHBOARD_CALLBACK)."""

from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from config.base.admin_periods import NAMES, period_of
from config.base.people import signed_in
from config.dashboard.attention import list_attention
from config.dashboard.call_section import describe_calls
from config.dashboard.draft_section import describe_drafts
from config.dashboard.job_section import describe_jobs
from config.dashboard.run_section import describe_runs
from jobs.health import get_queue


def add_dashboard(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    user, now = signed_in(request), timezone.now()
    period = period_of(request.GET.get("period"), now)
    may = user.has_perm
    calls = describe_calls(period) if may("tools.view_toolcall") else {}
    runs = describe_runs(period) if may("agents.view_run") else {}
    drafts = describe_drafts(now) if may("tools.view_actiondraft") else {}
    queue = get_queue() if may("jobs.view_job") else None
    jobs = describe_jobs(period, queue) if queue else {}
    figures = [part.pop("figures", []) for part in (calls, drafts, runs, jobs)]
    return {
        **context,
        "title": _("Overview"),
        "period": period,
        "periods": [(key, name, key == period.key) for key, name in NAMES.items()],
        "attention": list_attention(
            user, period, calls.get("tools", []), now, queue, jobs.get("failed", 0)
        ),
        "figures": [figure for part in figures for figure in part],
        "calls": calls,
        "runs": runs,
        "drafts": drafts,
        "jobs": jobs,
        "is_fresh": not calls.get("total") and not runs.get("total"),
    }
