"""How the calls of one tool went over a period: counted by the database, from the ledger alone."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property

from django.db.models import Count

from config.base.admin_periods import Period, moment
from tools.enums import CallStatus
from tools.log.figures import calls_of, duration_bucket, percentiles


@dataclass(frozen=True)
class ToolHistory:
    """`durations` of each slot: how often each occurs, in ms, right to within 5 %."""

    by_slot: dict[str, list[float]]
    durations: list[Counter[int]]

    def count(self, *statuses: str) -> int:
        """Of the whole period; of all statuses without any."""
        return int(sum(sum(self.by_slot.get(status, ())) for status in statuses or self.by_slot))

    @cached_property
    def percentiles(self) -> tuple[int | None, int | None]:
        """p50 and p95 of the whole period."""
        p50, p95 = percentiles(sum(self.durations, Counter()), (0.5, 0.95))
        return p50, p95

    @cached_property
    def percentiles_by_slot(self) -> list[tuple[int | None, int | None]]:
        return [tuple(percentiles(one, (0.5, 0.95))) for one in self.durations]  # type: ignore[misc]  # two


def get_tool_history(slug: str, period: Period) -> ToolHistory:
    """One query: what comes back is bounded by hours, statuses and buckets of durations."""
    rows = (
        calls_of(slug, period)
        .annotate(moment=moment("created_at", period), bucket=duration_bucket())
        .order_by()
        .values_list("status", "moment", "bucket")
        .annotate(n=Count("pk"))
    )
    counted: dict[str, list[float]] = defaultdict(lambda: [0.0] * len(period.starts))
    durations = [Counter[int]() for _start in period.starts]
    for status, when, bucket, n in rows:
        slot = period.slot_of(when)
        counted[status][slot] += n
        if bucket is not None:
            durations[slot][bucket] += n
    by_slot = {status.value: counted[status] for status in CallStatus if status in counted}
    return ToolHistory(by_slot, durations)
