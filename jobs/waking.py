"""Waking a worker: many jobs at once send one wake-up, and a lost one costs a second at most."""

import logging

from django.db import connection, transaction

from config.base.clock import later_sql, now_sql
from jobs.models import Wake

log = logging.getLogger(__name__)

PENDING_SECONDS = 1.0  # after which a wake-up that nobody answered counts as lost


def wake_after_commit() -> None:
    """Once the caller's change can be seen by others; at once outside a transaction."""
    if not any(waits[1] is wake for waits in connection.run_on_commit):
        transaction.on_commit(wake, robust=True)


def wake() -> None:
    """Ask for a worker. What fails here only delays: the pulse looks once a second."""
    from jobs import q2

    try:
        if _is_mine_to_send():
            q2.send_tick()
    except Exception:
        log.exception("a wake-up could not be sent; the pulse will send one")


def answer_wake() -> None:
    """A worker is here: what becomes due from now on needs a new wake-up.

    Before the worker looks for jobs, so that none falls between.
    """
    Wake.objects.filter(pk=1, pending_until__isnull=False).update(pending_until=None)


def _is_mine_to_send() -> bool:
    """Of all who ask within a second, one sends."""
    table = Wake._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            f'INSERT INTO "{table}" ("id", "pending_until") VALUES (1, {later_sql()})'  # noqa: S608 (names of ours)
            ' ON CONFLICT ("id") DO UPDATE SET "pending_until" = excluded."pending_until"'
            f' WHERE "{table}"."pending_until" IS NULL OR "{table}"."pending_until" <= {now_sql()}'
            # Of a clock that was set back: as if none were pending.
            f' OR "{table}"."pending_until" > {later_sql()}',
            [PENDING_SECONDS, 2 * PENDING_SECONDS],
        )
        return bool(cursor.rowcount)
