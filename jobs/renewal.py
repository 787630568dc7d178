"""Extending leases: one statement for all that a worker holds. It does not raise the revision."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db.models.functions import Now

from jobs.enums import JobStatus
from jobs.models import Job


def renew_leases(jobs: Sequence[Job]) -> set[UUID]:
    """Those that are still held as they were claimed."""
    if not jobs:
        return set()
    owners = {job.lease_owner for job in jobs}  # of one claim each: as good as its revision
    held = Job.objects.filter(
        pk__in=[job.pk for job in jobs], lease_owner__in=owners, status=JobStatus.RUNNING
    )
    held.update(lease_expires_at=Now() + timedelta(seconds=settings.JOB_LEASE_SECONDS))
    return set(held.values_list("pk", flat=True))
