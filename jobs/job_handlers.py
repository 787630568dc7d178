"""Housekeeping of the jobs themselves, and of `config.base`, which stands below them."""

from django.utils.translation import gettext_lazy as _

from config.base.idempotency import purge_old_answers
from config.base.rates import purge_old_counts
from jobs.handlers import Recurrence
from jobs.housekeeping import Housekeeping
from jobs.registry import register
from jobs.services.purging import (
    purge_old_beats,
    purge_old_jobs,
    purge_old_missed,
    purge_old_wake_ups,
)


@register
class IdempotencyKeys(Housekeeping):
    kind = "housekeeping.idempotency_keys"
    description = _("Throws away the stored answers of old idempotency keys.")
    recurrence = Recurrence("7 * * * *")
    purges = {"answers": purge_old_answers}


@register
class RateCounts(Housekeeping):
    kind = "housekeeping.rate_counts"
    description = _("Throws away the counts of old rate limits.")
    recurrence = Recurrence("12 * * * *")
    purges = {"counts": purge_old_counts}


@register
class Jobs(Housekeeping):
    kind = "housekeeping.jobs"
    description = _(
        "Throws away jobs that ended long ago, old missed times, workers that are gone."
    )
    recurrence = Recurrence("47 * * * *")
    purges = {
        "jobs": purge_old_jobs,
        "missed_times": purge_old_missed,
        "workers": purge_old_beats,
        "wake_ups": purge_old_wake_ups,
    }
