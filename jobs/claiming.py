"""Taking due jobs: one statement for a whole batch, of which each job is taken by one worker.

One UPDATE for each job would be as many transactions, and lose most of its races.
"""

from functools import cache

from django.conf import settings
from django.db import connection, transaction

from config.base.clock import later_sql, now_sql
from jobs.enums import WAITING, JobStatus
from jobs.models import Job, PausedKind

MOST = 20

# `next_attempt_at IS NOT NULL` stands there in so many words: only then do both databases use the
# partial index whatever the parameters are.
_DUE = """
    FROM "{jobs}"
    WHERE "next_attempt_at" IS NOT NULL AND "next_attempt_at" <= {now} AND "status" IN (%s, %s)
      AND "kind" NOT IN (SELECT p."kind" FROM "{paused}" p)
"""
# Most jobs have no priority of their own, and an index has those in order: one sort of all that is
# due would make each claim slower the more there is.
# MATERIALIZED: a planner that ran a choice twice would take more than its limit.
# Up to twice the limit is locked for a moment, so that another claim may find nothing although
# something is due. It looks no second time: whoever took a full batch calls for others after its
# commit, and the pulse does within a second.
_CLAIM = """
    WITH ranked AS MATERIALIZED (
        SELECT "id", "priority", "next_attempt_at" {due} AND "priority" <> 0
        ORDER BY "priority" DESC, "next_attempt_at", "id" LIMIT %s {lock}
    ), plain AS MATERIALIZED (
        SELECT "id", "priority", "next_attempt_at" {due} AND "priority" = 0
        ORDER BY "next_attempt_at", "id" LIMIT %s {lock}
    ), due AS MATERIALIZED (
        SELECT "id", "next_attempt_at"
        FROM (SELECT * FROM ranked UNION ALL SELECT * FROM plain) AS candidates
        ORDER BY "priority" DESC, "next_attempt_at", "id" LIMIT %s
    )
    UPDATE "{jobs}" SET "status" = %s, "revision" = "revision" + 1, "lease_owner" = %s,
        "lease_expires_at" = {later}, "next_attempt_at" = NULL
    WHERE "id" IN (SELECT "id" FROM due) AND "status" IN (%s, %s)
    RETURNING {columns},
        (SELECT d."next_attempt_at" FROM due d WHERE d."id" = "{jobs}"."id") AS "was_due_at"
"""
_WAITS = """
    SELECT EXISTS (SELECT 1 {due}) OR EXISTS (
        SELECT 1 FROM "{jobs}" WHERE "lease_expires_at" IS NOT NULL AND "lease_expires_at" <= {now}
    )
"""


def claim_due_jobs(owner: str, *, limit: int) -> list[Job]:
    """Up to `limit` due jobs, the most urgent first; `owner` names this one claim."""
    most, lease_seconds = min(limit, MOST), settings.JOB_LEASE_SECONDS
    values = [*WAITING, most, *WAITING, most, most, JobStatus.RUNNING, owner, lease_seconds]
    with transaction.atomic():
        _choose_indexes()
        claimed = list(Job.objects.raw(claim_statement(connection.vendor), [*values, *WAITING]))
    # In which order an UPDATE returns its rows is not promised.
    return sorted(claimed, key=lambda job: (-job.priority, vars(job)["was_due_at"], job.pk))


def _choose_indexes() -> None:
    """Whatever PostgreSQL believes of the table's size: it plans the statement once, and what it
    planned while there were few jobs, or before it ever counted them, would read all of them.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")


def work_waits() -> bool:
    """Whether something is due, or a lease ran out: looks at the ends of two indexes."""
    with connection.cursor() as cursor:
        cursor.execute(waits_statement(connection.vendor), [*WAITING])
        return bool(cursor.fetchone()[0])


@cache
def claim_statement(vendor: str) -> str:
    lock = "FOR UPDATE SKIP LOCKED" if vendor == "postgresql" else ""
    columns = ", ".join(f'"{field.column}"' for field in Job._meta.concrete_fields)
    return _CLAIM.format(**_names(), lock=lock, later=later_sql(), columns=columns)


@cache
def waits_statement(_vendor: str) -> str:
    return _WAITS.format(**_names())


def _names() -> dict[str, str]:
    names = {"jobs": Job._meta.db_table, "paused": PausedKind._meta.db_table, "now": now_sql()}
    return {**names, "due": _DUE.format(**names)}
