"""What the console's first page shows, for one period (UNFOLD's DASHBOARD_CALLBACK)."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Q
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.models import RunStatus
from config.dashboard.attention import list_attention
from config.dashboard.calls import (
    ToolFigures,
    count_by_slot,
    list_tool_figures,
    list_top_errors,
)
from config.dashboard.charts import Chart, Series, share_bar
from config.dashboard.links import list_link
from config.dashboard.period import NAMES, Period, period_of
from config.dashboard.runs import get_run_figures
from tools.admin.call_filters import FAILED
from tools.enums import CallStatus
from tools.models import ActionDraft
from tools.models.draft import WAITING

AGES: list[tuple[str, timedelta | None, timedelta]] = [
    ("< 5 min", timedelta(minutes=5), timedelta(0)),
    ("5 – 30 min", timedelta(minutes=30), timedelta(minutes=5)),
    ("30 min – 24 h", timedelta(days=1), timedelta(minutes=30)),
    ("> 24 h", None, timedelta(days=1)),
]  # name, younger than, at least


@dataclass(frozen=True, slots=True)
class Figure:
    """A number at the top of the page."""

    label: str
    value: str
    link: str
    note: str = ""


def add_dashboard(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    now = timezone.now()
    period = period_of(request.GET.get("period"), now)
    may = request.user.has_perm
    calls = _calls(period) if may("tools.view_toolcall") else {}
    runs = _runs(period) if may("agents.view_run") else {}
    drafts = _drafts(now) if may("tools.view_actiondraft") else {}
    figures = [part.pop("figures", []) for part in (calls, drafts, runs)]
    return {
        **context,
        "title": _("Overview"),
        "period": period,
        "periods": [(key, name, key == period.key) for key, name in NAMES.items()],
        "attention": list_attention(request.user, period, calls.get("tools", []), now),
        "figures": [figure for part in figures for figure in part],
        "calls": calls,
        "runs": runs,
        "drafts": drafts,
        "is_fresh": not calls.get("total") and not runs.get("total"),
    }


# --- Tool calls ---


def _calls(period: Period) -> dict[str, Any]:
    by_slot = count_by_slot(period)
    tools = list_tool_figures(period)
    total = int(sum(map(sum, by_slot.values())))
    failed = int(sum(sum(by_slot.get(status, ())) for status in FAILED))
    rates = _rates(by_slot, len(period.starts))
    share = _percent(failed / total if total else 0)
    link = list_link("tools_toolcall", since=period.since)
    return {
        "total": total,
        "tools": tools,
        "tool_rows": [_tool_row(tool, period, tools[0].calls) for tool in tools],
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
        failed = sum(by_slot[status][n] for status in FAILED if status in by_slot)
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
        "rate": _percent(tool.error_rate),
        "link": list_link("tools_toolcall", **query),
        "failed_link": list_link("tools_toolcall", failed="1", **query),
        "slow_link": list_link("tools_toolcall", slow=tool.p95_ms, **query),
    }


def _error(row: tuple[str, str, str, int], period: Period) -> dict[str, Any]:
    slug, status, code, n = row
    query = {"tool": slug, "status__exact": status, "error": code, "since": period.since}
    link = list_link("tools_toolcall", **query)
    return {"tool": slug, "status": CallStatus(status).label, "code": code, "n": n, "link": link}


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


# --- Drafts ---


def _drafts(now: datetime) -> dict[str, Any]:
    """Those that a person can still decide, by how long they have waited."""
    spans = [(now - below if below else None, now - least) for _name, below, least in AGES]
    counts = ActionDraft.objects.filter(state__in=WAITING, expires_at__gt=now).aggregate(
        **{f"n{n}": Count("pk", filter=_created(*span)) for n, span in enumerate(spans)}
    )
    total = sum(counts.values())
    rows = [
        {
            "name": AGES[n][0],
            "n": counts[f"n{n}"],
            "bar": share_bar(counts[f"n{n}"] / total if total else 0),
            "link": list_link("tools_actiondraft", state="waiting", since=since, until=until),
        }
        for n, (since, until) in enumerate(spans)
    ]
    link = list_link("tools_actiondraft", state="waiting")
    return {
        "total": total,
        "rows": rows,
        "figures": [Figure(_("Drafts waiting"), f"{total:,}", link)],
    }


def _created(since: datetime | None, until: datetime) -> Q:
    before = Q(created_at__lt=until)
    return before & Q(created_at__gte=since) if since else before


# --- Runs ---


def _runs(period: Period) -> dict[str, Any]:
    found = get_run_figures(period)
    labels = period.labels()
    since = {"created_at__gte": period.since}
    rows = [
        {
            "name": RunStatus(status).label,
            "n": n,
            "bar": share_bar(n / found.total),
            "link": list_link("agents_run", status__exact=status, **since),
        }
        for status, n in found.by_status.items()
    ]
    tokens = [
        Series(_("input tokens"), "input", found.input_tokens),
        Series(_("output tokens"), "output", found.output_tokens),
    ]
    cost = Chart(_("Cost"), labels, [Series(_("cost"), "cost", found.cost_usd)], unit=" USD")
    link = list_link("agents_run", **since)
    return {
        "total": found.total,
        "rows": rows,
        "tokens": Chart(_("Tokens"), labels, tokens),
        "cost": cost,
        "usage": [
            {"label": label, "given": int(given), "got": int(got), "cost": f"{usd:.4f}"}
            for label, given, got, usd in zip(
                labels, found.input_tokens, found.output_tokens, found.cost_usd, strict=True
            )
            if given or got or usd
        ],
        "figures": [
            Figure(_("Runs"), f"{found.total:,}", link),
            Figure(_("Tokens"), f"{found.tokens:,}", link),
            Figure(_("Cost"), f"{found.cost:.2f} USD", link),
        ],
    }
