"""Runs, as the page shows them."""

from typing import Any

from django.utils.translation import gettext as _

from agents.models import RunStatus
from config.base.admin_charts import Chart, Series, share_bar
from config.base.admin_figures import Figure
from config.base.admin_links import list_link
from config.base.admin_periods import Period
from config.dashboard.runs import get_run_figures


def describe_runs(period: Period) -> dict[str, Any]:
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
            {
                "label": label,
                "given": int(given),
                "got": int(got),
                "cost": f"{usd:.4f}" if usd else "–",
            }
            for label, given, got, usd in zip(
                labels, found.input_tokens, found.output_tokens, found.cost_usd, strict=True
            )
            if given or got or usd
        ],
        "figures": [
            Figure(_("Runs"), f"{found.total:,}", link),
            Figure(_("Tokens"), f"{found.tokens:,}", link),
            Figure(_("Cost"), f"{found.cost:.2f} USD" if found.cost else "–", link),
        ],
    }
