"""Extending the leases of all that a worker holds. It does not raise the revision."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from jobs.enums import JobStatus
from jobs.models import Job


def renew_leases(jobs: Sequence[Job]) -> set[UUID]:
    """Those that are still held as they were claimed.

    Never waits for a job that is at its effects: nobody else can take it while its row is locked,
    and whoever renews has the other jobs to hold, and a hung handler to end.
    """
    if not jobs:
        return set()
    owners = {job.lease_owner for job in jobs}  # of one claim each: as good as its revision
    held = Job.objects.filter(
        pk__in=[job.pk for job in jobs], lease_owner__in=owners, status=JobStatus.RUNNING
    )
    with transaction.atomic():
        free = list(held.select_for_update(skip_locked=True).values_list("pk", flat=True))
        until = Now() + timedelta(seconds=settings.JOB_LEASE_SECONDS)
        held.filter(pk__in=free).update(lease_expires_at=until)
    return set(held.values_list("pk", flat=True))
