"""The hold of a driver on its run: no write of one who lost it can be committed."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import QuerySet
from django.db.models.functions import Now

from agents.models import Run, RunStatus
from config.base import leases
from config.base.errors import LeaseLost


@dataclass(frozen=True, slots=True)
class RunFence:
    run_id: UUID
    revision: int
    owner: str

    def rows(self) -> QuerySet[Run]:
        return Run.objects.filter(pk=self.run_id, status=RunStatus.RUNNING)

    def held(self) -> QuerySet[Run]:
        """The run, or nothing when it was taken over or stopped."""
        return self.rows().filter(revision=self.revision)

    def __call__(self) -> None:
        """Within a transaction: lock the run; raises `LeaseLost` when it was taken over."""
        leases.hold_fence(self.rows(), revision=self.revision)

    def look_up(self) -> None:
        """Without a lock; raises `LeaseLost` when the run was taken over or stopped."""
        if not self.held().exists():
            raise LeaseLost

    def renew(self) -> bool:
        return leases.renew(
            self.rows(),
            revision=self.revision,
            owner=self.owner,
            seconds=settings.RUN_LEASE_SECONDS,
        )

    def let_go(self) -> None:
        """Give the run back unfinished, so that another process need not wait for the lease."""
        self.held().update(lease_expires_at=Now())


def stored_key(run_id: UUID) -> Any:
    """As this database stores it, for statements that are not composed anew each time."""
    return Run._meta.pk.get_db_prep_save(run_id, connection)
