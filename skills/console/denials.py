"""Denials over time, of what the list shows."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.contrib.admin.views.main import ChangeList
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from config.base.admin_charts import Chart, Series
from config.base.admin_filters import parse_time
from config.base.admin_periods import NAMES, Period, moment, period_of
from skills.models import AuditEvent
from skills.selectors import DECISIONS, IS_DENIED, IS_UNUSUAL

USUAL = "7d"
COLOURS = ("denied", "error", "timeout", "p50")  # of the most frequent reasons; the rest is grey
DENIED = {"outcome__exact": "denied"}
SPANS = {"24h": timedelta(hours=24), "7d": timedelta(days=7)}


def with_denials(page: Any, request: HttpRequest) -> Any:
    """The list with its chart; what is no list is left as it is."""
    context = getattr(page, "context_data", None)
    if context and "cl" in context:
        period = period_of(_asked_period(request, timezone.now()), timezone.now())
        context["denials"] = describe_denials(context["cl"], period)
    return page


def _asked_period(request: HttpRequest, now: datetime) -> str:
    """That of the filter, or what reaches back as far."""
    within = request.GET.get("within", "")
    if within in NAMES or within == "today":
        return within if within in NAMES else "24h"
    try:
        span = now - parse_time(request.GET.get("since", ""))
    except (ValueError, OverflowError):
        return USUAL
    return next((key for key, longest in SPANS.items() if span <= longest), "30d")


def describe_denials(shown: ChangeList, period: Period) -> dict[str, Any]:
    rows = count_denials(shown.queryset, period)
    totals = Counter[str]()
    for _text, code, n in rows:
        totals[code] += n
    reasons = [code for code, _n in totals.most_common(len(COLOURS))]
    series = [
        Series(code or _("no reason"), colour, _sums(rows, period, {code}))
        for code, colour in zip(reasons, COLOURS, strict=False)
    ]
    others = set(totals) - set(reasons)
    if others:
        series.append(Series(_("others"), "rest", _sums(rows, period, others)))
    title = _("Denials, %(period)s") % {"period": period.label}
    return {
        "chart": Chart(title, period.labels(), series),
        "total": totals.total(),
        "legend": [_legend(one, shown, period) for one in series],
        "rows": list(_slots(series, shown, period)),
    }


def count_denials(events: QuerySet[Any], period: Period) -> list[tuple[str, str, int]]:
    """(hour, reason, number). By ids from the period's first on: older denials are not read."""
    first = AuditEvent.objects.filter(recorded_at__gte=period.since).order_by("recorded_at")
    first_id = first.values_list("pk", flat=True).first()
    if first_id is None:
        return []
    denied = events.filter(IS_DENIED, IS_UNUSUAL, pk__gte=first_id)
    denied = denied.exclude(action__in=DECISIONS)
    by_hour = denied.order_by().annotate(moment=moment("recorded_at", period))
    return list(by_hour.values_list("moment", "reason_code").annotate(n=Count("pk")))


def _sums(rows: list[tuple[str, str, int]], period: Period, codes: set[str]) -> list[float]:
    return period.sums((text, n) for text, code, n in rows if code in codes)


def _legend(one: Series, shown: ChangeList, period: Period) -> dict[str, Any]:
    """Its link narrows what is shown."""
    is_one = one.colour != "rest" and one.name != _("no reason")
    reason = {"reason_code": one.name} if is_one else {}
    link = shown.get_query_string({**DENIED, **reason, "within": period.key}, ["since", "until"])
    return {"name": one.name, "colour": one.colour, "total": int(one.total), "link": link}


def _slots(series: list[Series], shown: ChangeList, period: Period) -> Iterator[dict[str, Any]]:
    """Of those with denials."""
    for n, label in enumerate(period.labels()):
        counts = [int(one.values[n]) for one in series]
        if not any(counts):
            continue
        ends = {"since": period.starts[n], "until": period.end_of(n)}
        bounds = {name: end.isoformat(timespec="seconds") for name, end in ends.items() if end}
        link = shown.get_query_string({**DENIED, **bounds}, ["within", "until"])
        yield {"label": label, "counts": counts, "total": sum(counts), "link": link}
