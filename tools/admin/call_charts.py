"""Tool calls by status over a period, as charts and tables show them; `query` narrows the links."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from config.base.admin_charts import Chart, Series
from config.base.admin_links import list_link
from config.base.admin_periods import Period
from tools.enums import FAILED_STATUSES, CallStatus

type BySlot = Mapping[str, Sequence[float]]  # status to the number of calls in each slot


def status_chart(by_slot: BySlot, period: Period) -> Chart:
    series = [
        Series(str(CallStatus(status).label), status, values) for status, values in by_slot.items()
    ]
    return Chart(_("Tool calls by status"), period.labels(), series)


def failure_rates(by_slot: BySlot, period: Period) -> list[float]:
    """Per cent of each slot's calls."""
    rates = []
    for n in range(len(period.starts)):
        calls = sum(values[n] for values in by_slot.values())
        failed = sum(by_slot[status][n] for status in FAILED_STATUSES if status in by_slot)
        rates.append(round(100 * failed / calls, 1) if calls else 0.0)
    return rates


def slot_rows(by_slot: BySlot, period: Period, **query: Any) -> Iterable[dict[str, Any]]:
    """Of slots with calls; `slot` is its number."""
    rates = failure_rates(by_slot, period)
    for n, label in enumerate(period.labels()):
        if not any(values[n] for values in by_slot.values()):
            continue
        ends = {"since": period.starts[n], "until": period.end_of(n)}
        cells = [
            (int(values[n]), list_link("tools_toolcall", status__exact=status, **ends, **query))
            for status, values in by_slot.items()
        ]
        yield {"slot": n, "label": label, "cells": cells, "rate": rates[n]}


def legend(by_slot: BySlot, period: Period, **query: Any) -> list[dict[str, Any]]:
    return [
        {
            "name": CallStatus(status).label,
            "colour": status,
            "total": int(sum(values)),
            "link": list_link("tools_toolcall", status__exact=status, since=period.since, **query),
        }
        for status, values in by_slot.items()
    ]


def error_row(row: tuple[str, str, str, int], period: Period) -> dict[str, Any]:
    slug, status, code, n = row
    query = {"tool": slug, "status__exact": status, "error": code, "since": period.since}
    link = list_link("tools_toolcall", **query)
    return {"tool": slug, "status": CallStatus(status).label, "code": code, "n": n, "link": link}
