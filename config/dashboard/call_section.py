"""Tool calls, as the page shows them."""

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext as _

from config.dashboard.calls import (
    ToolFigures,
    count_by_slot,
    list_tool_figures,
    list_top_errors,
)
from config.dashboard.charts import Chart, Series, share_bar
from config.dashboard.figures import Figure, percent
from config.dashboard.links import list_link
from config.dashboard.period import Period
from tools.enums import FAILED_STATUSES, CallStatus

SHOWN = 25  # tools in the table, the most called first


def describe_calls(period: Period) -> dict[str, Any]:
    by_slot = count_by_slot(period)
    tools = list_tool_figures(period)
    total = int(sum(map(sum, by_slot.values())))
    failed = int(sum(sum(by_slot.get(status, ())) for status in FAILED_STATUSES))
    rates = _rates(by_slot, len(period.starts))
    share = percent(failed / total if total else 0)
    link = list_link("tools_toolcall", since=period.since)
    return {
        "total": total,
        "tools": tools,
        "tool_rows": [_tool_row(tool, period, tools[0].calls) for tool in tools[:SHOWN]],
        "chart": Chart(_("Tool calls by status"), period.labels(), _series(by_slot)),
        "rows": list(_slot_rows(by_slot, rates, period)),
        "rates": Chart(
            _("Share of calls that failed"),
            period.labels(),
            [Series(_("failed"), "error", rates)],
            unit=" %",
        ),
        "legend": [_legend(status, sum(values), period) for status, values in by_slot.items()],
        "errors": [_error(row, period) for row in list_top_errors(period)],
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


def _series(by_slot: dict[str, list[float]]) -> list[Series]:
    return [
        Series(str(CallStatus(status).label), status, values) for status, values in by_slot.items()
    ]


def _rates(by_slot: dict[str, list[float]], slots: int) -> list[float]:
    """Per cent of each slot's calls."""
    rates = []
    for n in range(slots):
        calls = sum(values[n] for values in by_slot.values())
        failed = sum(by_slot[status][n] for status in FAILED_STATUSES if status in by_slot)
        rates.append(round(100 * failed / calls, 1) if calls else 0.0)
    return rates


def _slot_rows(
    by_slot: dict[str, list[float]], rates: list[float], period: Period
) -> Iterable[dict[str, Any]]:
    for n, label in enumerate(period.labels()):
        if not any(values[n] for values in by_slot.values()):
            continue
        ends = {"since": period.starts[n], "until": period.end_of(n)}
        cells = [
            (int(values[n]), list_link("tools_toolcall", status__exact=status, **ends))
            for status, values in by_slot.items()
        ]
        yield {"label": label, "cells": cells, "rate": rates[n]}


def _legend(status: str, total: float, period: Period) -> dict[str, Any]:
    return {
        "name": CallStatus(status).label,
        "colour": status,
        "total": int(total),
        "link": list_link("tools_toolcall", status__exact=status, since=period.since),
    }


def _tool_row(tool: ToolFigures, period: Period, most: int) -> dict[str, Any]:
    query = {"tool": tool.slug, "since": period.since}
    return {
        "figures": tool,
        "bar": share_bar(tool.calls / most),
        "rate": percent(tool.error_rate),
        "link": list_link("tools_toolcall", **query),
        "failed_link": list_link("tools_toolcall", failed="1", **query),
        "slow_link": list_link("tools_toolcall", slow=tool.p95_ms, **query),
    }


def _error(row: tuple[str, str, str, int], period: Period) -> dict[str, Any]:
    slug, status, code, n = row
    query = {"tool": slug, "status__exact": status, "error": code, "since": period.since}
    link = list_link("tools_toolcall", **query)
    return {"tool": slug, "status": CallStatus(status).label, "code": code, "n": n, "link": link}
