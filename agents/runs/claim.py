"""Taking runnable runs, oldest first; of several claimers of one run, one wins."""

from functools import cache
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import QuerySet
from django.db.models.functions import Coalesce, Now

from agents.models import Run, RunStatus
from agents.runs.fence import RunFence
from config.base import leases


def claim_runs(owner: str, *, limit: int) -> list[RunFence]:
    """Claim up to `limit` runs for this owner."""
    fences: list[RunFence] = []
    for pk, revision in _looked_up(limit * 2):
        fence = _claim(pk, revision, owner) if len(fences) < limit else None
        if fence is not None:
            fences.append(fence)
    return fences


def _looked_up(limit: int) -> list[tuple[UUID, int]]:
    """Which could be claimed, with their revisions. Asked whenever a driver has a place free."""
    statement, values = _look_up_statement(limit, connection.vendor)
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return [(_as_uuid(pk), revision) for pk, revision in cursor.fetchall()]


@cache
def _look_up_statement(limit: int, _vendor: str) -> tuple[str, tuple[Any, ...]]:
    """Composed once: nothing in it changes, its clock is the database's."""
    rows = runnable_runs().values_list("pk", "revision")[:limit]
    statement, values = rows.query.sql_with_params()
    return statement, tuple(values)


def _as_uuid(stored: UUID | str) -> UUID:
    return stored if isinstance(stored, UUID) else UUID(stored)


def claim_run(run_id: UUID, owner: str) -> RunFence | None:
    """Claim this one run, if it is runnable now."""
    rows = Run.objects.runnable().filter(pk=run_id)
    revision = rows.values_list("revision", flat=True).first()
    return None if revision is None else _claim(run_id, revision, owner)


def _claim(run_id: UUID, revision: int, owner: str) -> RunFence | None:
    claimed = leases.claim(
        Run.objects.runnable().filter(pk=run_id),
        revision=revision,
        owner=owner,
        seconds=settings.RUN_LEASE_SECONDS,
        status=RunStatus.RUNNING,
        started_at=Coalesce("started_at", Now()),
    )
    return RunFence(run_id, claimed, owner) if claimed is not None else None


def runnable_runs() -> QuerySet[Run]:
    return Run.objects.runnable().filter(unattended=False).order_by("created_at", "pk")
