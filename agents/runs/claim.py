"""Taking runnable runs, oldest first; of several claimers of one run, one wins."""

from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet

from agents.models import Run, RunStatus
from agents.runs.fence import RunFence
from config.base import leases


def claim_runs(owner: str, *, limit: int) -> list[RunFence]:
    """Claim up to `limit` runs for this owner."""
    fences: list[RunFence] = []
    for pk in runnable_runs().values_list("pk", flat=True)[: limit * 2]:
        fence = claim_run(pk, owner) if len(fences) < limit else None
        if fence is not None:
            fences.append(fence)
    return fences


def claim_run(run_id: UUID, owner: str) -> RunFence | None:
    """Claim this one run, if it is runnable now."""
    rows = Run.objects.runnable().filter(pk=run_id)
    revision = rows.values_list("revision", flat=True).first()
    if revision is None:
        return None
    claimed = leases.claim(
        rows,
        revision=revision,
        owner=owner,
        seconds=settings.RUN_LEASE_SECONDS,
        status=RunStatus.RUNNING,
    )
    return RunFence(run_id, claimed, owner) if claimed is not None else None


def runnable_runs() -> QuerySet[Run]:
    return Run.objects.runnable().filter(unattended=False).order_by("created_at", "pk")
