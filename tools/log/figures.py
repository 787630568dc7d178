"""Figures of tool calls, counted by the database: what comes back is bounded by slots and tools."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil

from django.db.models import Case, Count, F, IntegerField, Value, When

from config.base.admin_periods import Period, moment
from tools.enums import FAILED_STATUSES, CallStatus
from tools.models import ToolCall
from tools.models.call import ToolCallQuerySet

TOP = 8
# Up to which duration buckets of which width, in ms: a figure is off by 5 % at most.
_WIDTHS = ((200, 1), (2_000, 10), (20_000, 100))
_WIDEST = 1_000


@dataclass(frozen=True, slots=True)
class ToolFigures:
    slug: str
    calls: int
    failed: int
    p50_ms: int | None
    p95_ms: int | None

    @property
    def error_rate(self) -> float:
        return self.failed / self.calls if self.calls else 0.0


def _calls(period: Period) -> ToolCallQuerySet:
    return ToolCall.objects.filter(created_at__gte=period.since)


def calls_of(slug: str, period: Period) -> ToolCallQuerySet:
    return _calls(period).filter(tool_slug=slug)


def count_by_slot(period: Period) -> dict[str, list[float]]:
    """Status to the number of calls in each slot; only statuses that occur."""
    rows = (
        _calls(period)
        .annotate(moment=moment("created_at", period))
        .order_by()
        .values_list("status", "moment")
        .annotate(n=Count("pk"))
    )
    by_status: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for status, when, n in rows:
        by_status[status].append((when, n))
    return {status: period.sums(by_status[status]) for status in CallStatus if status in by_status}


def list_tool_figures(period: Period) -> list[ToolFigures]:
    """Of each tool that was called, the most called first; one pass over the period's calls."""
    rows = (
        _calls(period)
        .annotate(bucket=duration_bucket())
        .order_by()
        .values_list("tool_slug", "status", "bucket")
        .annotate(n=Count("pk"))
    )
    calls, failed = Counter[str](), Counter[str]()
    durations: dict[str, Counter[int]] = defaultdict(Counter)
    for slug, status, bucket, n in rows:
        calls[slug] += n
        failed[slug] += n if status in FAILED_STATUSES else 0
        if bucket is not None:
            durations[slug][bucket] += n
    return [
        ToolFigures(slug, n, failed[slug], *percentiles(durations[slug], (0.5, 0.95)))
        for slug, n in calls.most_common()
    ]


def duration_bucket() -> Case:
    """The lower end of a duration's bucket; null without one. Whole numbers divide to such."""
    whens = [
        When(duration_ms__lt=limit, then=F("duration_ms") / Value(width) * Value(width))
        for limit, width in _WIDTHS
    ]
    widest = F("duration_ms") / Value(_WIDEST) * Value(_WIDEST)
    return Case(*whens, default=widest, output_field=IntegerField())


def percentiles(counts: Mapping[int, int], shares: Iterable[float]) -> list[int | None]:
    """By nearest rank, from how often each value occurs; None of nothing."""
    total = sum(counts.values())
    if not total:
        return [None for _share in shares]
    found: list[int | None] = []
    for share in shares:
        rank, seen = max(1, ceil(share * total)), 0
        for value in sorted(counts):
            seen += counts[value]
            if seen >= rank:
                found.append(value)
                break
    return found


def list_top_errors(period: Period, slug: str = "") -> list[tuple[str, str, str, int]]:
    """(tool, status, code, how often) of the calls that the share counts as failed."""
    calls = calls_of(slug, period) if slug else _calls(period)
    rows = (
        calls.filter(status__in=FAILED_STATUSES)
        .order_by()
        .values_list("tool_slug", "status", "error_code")
        .annotate(n=Count("pk"))
        .order_by("-n", "tool_slug", "error_code")
    )
    return [(slug, status, code, n) for slug, status, code, n in rows[:TOP]]
