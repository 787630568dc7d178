"""How long the oldest due job has been waiting."""

from django.db.models.functions import Now

from config.base.clock import database_now
from jobs.models import Job, PausedKind
from jobs.models.job import JobQuerySet


def due_jobs() -> JobQuerySet:
    """What a worker would claim: NOT NULL in so many words, so that the partial index is used."""
    due = Job.objects.filter(next_attempt_at__isnull=False, next_attempt_at__lte=Now())
    return due.exclude(kind__in=PausedKind.objects.values("kind"))


def queue_age_seconds() -> float | None:
    """None: nothing is due. By the database's clock."""
    oldest = (
        due_jobs().order_by("next_attempt_at").values_list("next_attempt_at", flat=True).first()
    )
    return None if oldest is None else (database_now() - oldest).total_seconds()
