"""The charts of one tool: what was called, how it ended, how long it took."""

from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from config.base.admin_base import named
from config.base.admin_charts import Chart, Series
from config.base.admin_figures import Figure, percent
from config.base.admin_links import list_link
from config.base.admin_periods import NAMES, Period, period_of
from tools.admin.call_charts import error_row, legend, slot_rows, status_chart
from tools.enums import FAILED_STATUSES, CallStatus
from tools.log.figures import list_top_errors
from tools.log.history import ToolHistory, get_tool_history
from tools.models import Tool, ToolCall

if TYPE_CHECKING:
    from config.base.admin_base import ConsoleAdmin


def charts_page(admin: "ConsoleAdmin", request: HttpRequest, slug: str) -> HttpResponse:
    """By slug: the calls of a tool that is gone are still there."""
    if not request.user.has_perm("tools.view_toolcall"):
        raise PermissionDenied
    tool = Tool.objects.filter(slug=slug).first()
    if tool is None and not ToolCall.objects.filter(tool_slug=slug).exists():
        raise Http404
    period = period_of(request.GET.get("period"), timezone.now())
    title = _("Calls of %(tool)s") % {"tool": slug}
    context = {
        **admin.admin_site.each_context(request),
        "opts": admin.opts,
        "original": named(tool, title) if tool else None,
        "title": title,
        "period": period,
        "periods": [(key, name, key == period.key) for key, name in NAMES.items()],
        **_describe(slug, period),
    }
    return TemplateResponse(request, "admin/tools/tool/charts.html", context)


def _describe(slug: str, period: Period) -> dict[str, Any]:
    history = get_tool_history(slug, period)
    rows = list(slot_rows(history.by_slot, period, tool=slug))
    for row in rows:
        row["p50"], row["p95"] = history.percentiles_by_slot[row["slot"]]
    return {
        "calls": {
            "total": history.count(),
            "chart": status_chart(history.by_slot, period),
            "legend": legend(history.by_slot, period, tool=slug),
            "rows": rows,
        },
        "durations": _durations(history, period),
        "figures": _figures(slug, history, period),
        "errors": [error_row(row, period) for row in list_top_errors(period, slug)],
    }


def _durations(history: ToolHistory, period: Period) -> Chart:
    p50, p95 = zip(*history.percentiles_by_slot, strict=True)
    series = [
        Series("p95", "p95", [value or 0 for value in p95]),
        Series("p50", "p50", [value or 0 for value in p50]),
    ]
    return Chart(_("Duration"), period.labels(), series, unit=" ms", stacked=False)


def _figures(slug: str, history: ToolHistory, period: Period) -> list[Figure]:
    total, (p50, p95) = history.count(), history.percentiles
    query = {"tool": slug, "since": period.since}

    def of(label: str, *statuses: CallStatus, **narrowed: str) -> Figure:
        n = history.count(*statuses)
        link = list_link("tools_toolcall", **query, **narrowed)
        return Figure(label, f"{n:,}", link, percent(n / total) if total else "")

    return [
        Figure(_("Tool calls"), f"{total:,}", list_link("tools_toolcall", **query)),
        of(_("Failed"), *FAILED_STATUSES, failed="1"),
        of(_("Timed out"), CallStatus.TIMEOUT, status__exact=CallStatus.TIMEOUT.value),
        of(_("Denied"), CallStatus.DENIED, status__exact=CallStatus.DENIED.value),
        Figure("p50", _ms(p50), list_link("tools_toolcall", **query, slow=p50)),
        Figure("p95", _ms(p95), list_link("tools_toolcall", **query, slow=p95)),
    ]


def _ms(value: int | None) -> str:
    return "–" if value is None else f"{value:,} ms"
