"""Deleting much a little at a time, so that nobody waits for a long transaction."""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet

BATCH = 500


@transaction.atomic
def delete_batch(rows: QuerySet[Any]) -> int:
    """At most `BATCH` of them; how many. What somebody else has locked is left for another time."""
    free = rows.select_for_update(of=("self",), skip_locked=True)
    keys = list(free.values_list("pk", flat=True)[:BATCH])
    rows.model._base_manager.filter(pk__in=keys).delete()
    return len(keys)
