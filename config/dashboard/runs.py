"""Figures of runs: how they ended, what they cost."""

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, Sum

from agents.models import Run
from config.base.admin_periods import Period, moment


@dataclass(frozen=True, slots=True)
class RunFigures:
    by_status: dict[str, int]
    input_tokens: list[float]  # of each slot
    output_tokens: list[float]
    cost_usd: list[float]

    @property
    def total(self) -> int:
        return sum(self.by_status.values())

    @property
    def tokens(self) -> int:
        return int(sum(self.input_tokens) + sum(self.output_tokens))

    @property
    def cost(self) -> Decimal:
        return Decimal(str(round(sum(self.cost_usd), 6)))


def get_run_figures(period: Period) -> RunFigures:
    """One pass over the period's runs."""
    rows = list(
        Run.objects.filter(created_at__gte=period.since)
        .annotate(moment=moment("created_at", period))
        .order_by()
        .values_list("status", "moment")
        .annotate(
            n=Count("pk"),
            given=Sum("input_tokens"),
            got=Sum("output_tokens"),
            cost=Sum("cost_usd"),
        )
    )
    statuses = Counter[str]()
    for status, _when, n, *_sums in rows:
        statuses[status] += n
    return RunFigures(
        by_status=dict(statuses.most_common()),
        input_tokens=period.sums((row[1], row[3]) for row in rows),
        output_tokens=period.sums((row[1], row[4]) for row in rows),
        cost_usd=period.sums((row[1], float(row[5] or 0)) for row in rows),
    )
