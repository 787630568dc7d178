"""Drafts that wait for a person, as the page shows them."""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Q
from django.utils.translation import gettext as _

from config.base.admin_charts import share_bar
from config.base.admin_figures import Figure
from config.base.admin_links import list_link
from tools.models import ActionDraft
from tools.models.draft import WAITING

AGES: list[tuple[str, timedelta | None, timedelta]] = [
    ("< 5 min", timedelta(minutes=5), timedelta(0)),
    ("5 – 30 min", timedelta(minutes=30), timedelta(minutes=5)),
    ("30 min – 24 h", timedelta(days=1), timedelta(minutes=30)),
    ("> 24 h", None, timedelta(days=1)),
]  # name, younger than, at least


def describe_drafts(now: datetime) -> dict[str, Any]:
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
