"""Tool calls, as the page shows them."""

from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from config.base.admin_charts import Chart, Series, share_bar
from config.base.admin_figures import Figure, percent
from config.base.admin_links import list_link
from config.base.admin_periods import Period
from tools.admin.call_charts import (
    error_row,
    failure_rates,
    legend,
    slot_rows,
    status_chart,
)
from tools.enums import FAILED_STATUSES
from tools.log.figures import (
    ToolFigures,
    count_by_slot,
    list_tool_figures,
    list_top_errors,
)

SHOWN = 25  # tools in the table, the most called first


def describe_calls(period: Period) -> dict[str, Any]:
    by_slot = count_by_slot(period)
    tools = list_tool_figures(period)
    total = int(sum(map(sum, by_slot.values())))
    failed = int(sum(sum(by_slot.get(status, ())) for status in FAILED_STATUSES))
    share = percent(failed / total if total else 0)
    link = list_link("tools_toolcall", since=period.since)
    return {
        "total": total,
        "tools": tools,
        "tool_rows": [_tool_row(tool, period, tools[0].calls) for tool in tools[:SHOWN]],
        "chart": status_chart(by_slot, period),
        "rows": list(slot_rows(by_slot, period)),
        "rates": Chart(
            _("Share of calls that failed"),
            period.labels(),
            [Series(_("failed"), "error", failure_rates(by_slot, period))],
            unit=" %",
        ),
        "legend": legend(by_slot, period),
        "errors": [error_row(row, period) for row in list_top_errors(period)],
        "figures": [
            Figure(_("Tool calls"), f"{total:,}", link),
            Figure(
                _("Failed"),
                share,
                list_link("tools_toolcall", failed="1", since=period.since),
                f"{failed:,}",
            ),
        ],
    }


def _tool_row(tool: ToolFigures, period: Period, most: int) -> dict[str, Any]:
    query = {"tool": tool.slug, "since": period.since}
    charts = reverse("admin:tools_tool_calls", args=[tool.slug], query={"period": period.key})
    return {
        "charts": charts,
        "figures": tool,
        "bar": share_bar(tool.calls / most),
        "rate": percent(tool.error_rate),
        "link": list_link("tools_toolcall", **query),
        "failed_link": list_link("tools_toolcall", failed="1", **query),
        "slow_link": list_link("tools_toolcall", slow=tool.p95_ms, **query),
    }
