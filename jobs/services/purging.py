"""What the jobs leave behind, thrown away in time: a batch in each transaction."""

from datetime import timedelta

from django.conf import settings
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now

from config.base.batches import delete_batch
from jobs.models import Job, MissedSlots, WorkerBeat

BEAT_DAYS = 1  # a worker that has not been seen since is gone


def purge_old_jobs() -> int:
    """Finished ones, with their attempts."""
    return delete_batch(Job.objects.filter(finished_at__lt=_kept_since()))


def purge_old_missed() -> int:
    return delete_batch(MissedSlots.objects.filter(noticed_at__lt=_kept_since()))


def purge_old_beats() -> int:
    return delete_batch(WorkerBeat.objects.filter(seen_at__lt=Now() - timedelta(days=BEAT_DAYS)))


def purge_old_wake_ups() -> int:
    from jobs import q2  # with its brokers a tenth of a second to import

    return q2.purge_old_wake_ups()


def _kept_since() -> CombinedExpression:
    return Now() - timedelta(days=settings.JOB_DAYS)
