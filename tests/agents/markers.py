"""Words that stand for content, and where the records hold one."""

from typing import Any

from django.apps import apps
from django.db import connection

from agents.models import Run
from jobs.models import Job, JobAttempt, JobSeries, MissedSlots
from skills.models import AuditEvent
from tools.models import ToolCall, ToolDay, UserDay

WORD = "zanzibar"  # begins each marker
RECORDS = (Run, ToolCall, ToolDay, UserDay, Job, JobAttempt, JobSeries, MissedSlots)
# What a job is to do, and what a workflow was told, is its owner's and dies with it: it is no
# record of what was done.
OWNED = {
    "jobs_job": {"payload"},
    "jobs_jobseries": {"payload"},
    "skills_workflowsession": {"answers"},
}


def marker(place: str) -> str:
    return f"{WORD}-{place}"


def told_in() -> dict[str, set[str]]:
    """Table to its columns that hold a marker, as the database has them."""
    found: dict[str, set[str]] = {}
    with connection.cursor() as cursor:
        for table in (model._meta.db_table for model in _records()):
            cursor.execute(f'SELECT * FROM "{table}"')
            names = [column[0] for column in cursor.description]
            for row in cursor.fetchall():
                told = {name for name, value in zip(names, row, strict=True) if _tells(value)}
                if told := told - OWNED.get(table, set()):
                    found.setdefault(table, set()).update(told)
    return found


def _records() -> list[Any]:
    return [*apps.get_app_config("skills").get_models(), *RECORDS]


def _tells(value: Any) -> bool:
    shown = bytes(value) if isinstance(value, memoryview) else value
    return WORD in repr(shown).lower()


def seen_events() -> list[str]:
    return list(AuditEvent.objects.order_by("id").values_list("action", flat=True))
