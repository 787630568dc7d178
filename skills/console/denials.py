"""Denials over time, of what the list shows."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.admin.views.main import ChangeList
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from config.base.admin_charts import Chart, Series
from config.base.admin_filters import parse_time
from config.base.admin_periods import NAMES, Period, moment, period_of
from skills.models import AuditEvent
from skills.selectors import IS_REFUSED, IS_UNUSUAL, count_refusals

USUAL = "7d"
COLOURS = ("denied", "error", "timeout", "p50")  # of the most frequent reasons; the rest is grey
DENIED = {"outcome__exact": "denied"}
SPANS = {"24h": timedelta(hours=24), "7d": timedelta(days=7)}
TODAY = "today"
EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)  # no denial is older, and all of its zones have a past
TIMES = ("within", "since", "until")  # the parameters of the list


@dataclass(frozen=True, slots=True)
class Counted:
    """Of one slot of time and one reason."""

    moment: str
    code: str
    refusals: int
    events: int


def with_denials(page: Any, request: HttpRequest) -> Any:
    """The list with its chart; what is no list is left as it is."""
    context = getattr(page, "context_data", None)
    if context and "cl" in context:
        period = asked_period(request, timezone.now())
        context["denials"] = describe_denials(context["cl"], period)
    return page


def asked_period(request: HttpRequest, now: datetime) -> Period:
    """That of the filter; of bounds, what they hold, as far back as a chart can reach."""
    within = request.GET.get("within", "")
    if within == TODAY:
        return _today(now)
    if within in NAMES:
        return period_of(within, now)
    since, until = (_bound(request, name) for name in ("since", "until"))
    if since is None and until is None:
        return period_of(USUAL, now)
    until = max(EARLIEST, min(until or now, now))
    return _between(since and max(EARLIEST, min(since, until)), until)


def _today(now: datetime) -> Period:
    period = period_of("24h", now)
    midnight = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)
    starts = tuple(start for start in period.starts if start >= midnight)
    return replace(period, label=_("today"), since=starts[0], starts=starts)


def _bound(request: HttpRequest, name: str) -> datetime | None:
    try:
        return parse_time(request.GET.get(name, ""))
    except (ValueError, OverflowError):
        return None


def _between(since: datetime | None, until: datetime) -> Period:
    span = until - since if since else SPANS[USUAL]
    period = period_of(next((key for key, most in SPANS.items() if span <= most), "30d"), until)
    first, last = (
        date_format(timezone.localtime(end), "Y-m-d H:i")
        for end in (max(since or period.since, period.since), until)
    )
    return replace(period, label=_("%(first)s to %(last)s") % {"first": first, "last": last})


def describe_denials(shown: ChangeList, period: Period) -> dict[str, Any]:
    rows = count_denials(shown.queryset, period)
    totals = Counter[str]()
    for row in rows:
        totals[row.code] += row.refusals
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
        "events": sum(row.events for row in rows),
        "legend": [_legend(one, shown, period) for one in series],
        "rows": list(_slots(series, shown, period)),
    }


def count_denials(events: QuerySet[Any], period: Period) -> list[Counted]:
    """By ids from the period's first on: older denials are not read."""
    first = AuditEvent.objects.filter(recorded_at__gte=period.since).order_by("recorded_at")
    first_id = first.values_list("pk", flat=True).first()
    if first_id is None:
        return []
    denied = events.filter(IS_REFUSED, IS_UNUSUAL, pk__gte=first_id)
    by_hour = denied.order_by().annotate(moment=moment("recorded_at", period))
    by_reason = by_hour.values_list("moment", "reason_code")
    counts = by_reason.annotate(refusals=count_refusals(), events=Count("pk"))
    return [Counted(*row) for row in counts]


def _sums(rows: list[Counted], period: Period, codes: set[str]) -> list[float]:
    return period.sums((row.moment, row.refusals) for row in rows if row.code in codes)


def _legend(one: Series, shown: ChangeList, period: Period) -> dict[str, Any]:
    """Its link narrows what is shown."""
    is_one = one.colour != "rest" and one.name != _("no reason")
    reason = {"reason_code": one.name} if is_one else {}
    is_timed = any(shown.params.get(name) for name in TIMES)
    within = {} if is_timed else {"within": period.key}
    link = shown.get_query_string({**DENIED, **reason, **within})
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
