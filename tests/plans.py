"""Whether a query uses an index, asked of the database itself, on tables that are worth one."""

from typing import Any

from django.db import connection
from django.db.models import QuerySet


def analyze(*models: type[Any]) -> None:
    """So that the planner knows how large the tables are."""
    with connection.cursor() as cursor:
        for model in models:
            cursor.execute(f'ANALYZE "{model._meta.db_table}"')


def assert_uses_index(rows: QuerySet[Any], *names: str) -> None:
    """The plan reads each of these indexes and scans no table of ours from end to end."""
    plan = rows.explain()
    for name in names:
        assert name in plan, plan
    scans = [line for line in plan.splitlines() if _is_scan(line)]
    assert not scans, plan


def _is_scan(line: str) -> bool:
    if connection.vendor == "postgresql":
        return "Seq Scan" in line
    return "SCAN" in line and "USING" not in line
