"""The hold of a worker on a job: no write of one who lost it can be committed."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from django.db import connection, transaction
from pydantic import JsonValue

from config.base.clock import as_datetime, now_sql
from config.base.inserts import Insertion, stored
from config.base.models import User
from config.base.storable import is_storable
from config.base.transactions import require_unbroken
from config.base.updates import LAPSED, NEXT, change_row, column, fetch_with
from jobs.enums import TRANSITIONS, JobStatus
from jobs.errors import IllegalTransition, JobLeaseLost, ResultUnstorable
from jobs.models import Job

RETURNED = ("revision", "attempts", "started_at", "finished_at")

# Before the id and in the order of the model's fields: so `from_db` takes them.
_OF_OWNER = ("is_staff", "is_active")

# What nobody holds has these values; every end of a hold sets them.
UNHELD: dict[str, Any] = {"lease_owner": "", "lease_expires_at": None}


@contextmanager
def fenced(*jobs: Job) -> Iterator[None]:
    """A transaction whose end in an error leaves the jobs as they were, here too."""
    before = [(job, name, getattr(job, name)) for job in jobs for name in RETURNED]
    try:
        with transaction.atomic():
            yield
            require_unbroken()
    except BaseException:
        for job, name, value in before:
            setattr(job, name, value)
        raise


def change(
    job: Job, values: dict[str, Any], *, expired: bool = False, adding: Sequence[Insertion] = ()
) -> None:
    """Write to a job as it was claimed, within `fenced`; raises `JobLeaseLost`.

    `expired` asks that the lease has run out by now; `adding` is written with it. A change of
    status raises the revision; it must be an allowed one.
    """
    if "status" in values:
        require_transition(JobStatus.RUNNING, values["status"])
        values = {**values, "revision": NEXT}
    held = _held(job)
    if expired:
        held["lease_expires_at"] = LAPSED
    _take_over(job, change_row(Job, values, held, returning=RETURNED, adding=adding))


def begin(job: Job, *, if_owner_is_active: bool = False) -> None:
    """Its handler starts: the attempt is counted. Within `fenced`; raises `JobLeaseLost`, also
    where the owner is not as asked for.

    Its owner is that of the moment, as much of them as every job needs; the rest is read when it is
    asked for, as with `only()`. Jobs of a batch would share what was true when it was claimed.
    """
    statement = _begin_statement(connection.vendor, if_owner_is_active)
    held = [stored(column(Job, name), value) for name, value in _held(job).items()]
    owner = _take_over(job, fetch_with(statement, held))
    if job.owner_id is not None:
        values = [*map(bool, owner), job.owner_id]
        job.owner = User.from_db(connection.alias, [*_OF_OWNER, "id"], values)


def _held(job: Job) -> dict[str, Any]:
    """The row as it was claimed."""
    if not connection.in_atomic_block:
        raise RuntimeError("a fence holds only within a transaction")
    return {
        "id": job.pk,
        "revision": job.revision,
        "status": JobStatus.RUNNING,
        "lease_owner": job.lease_owner,
    }


def _take_over(job: Job, row: tuple[Any, ...] | None) -> tuple[Any, ...]:
    """What was written into the job; what came beyond `RETURNED`."""
    if row is None:
        raise JobLeaseLost
    job.revision, job.attempts = row[:2]
    job.started_at, job.finished_at = map(as_datetime, row[2:4])
    return row[4:]


def require_transition(source: str, target: str) -> None:
    if target not in TRANSITIONS[JobStatus(source)]:
        raise IllegalTransition(f"{source} → {target}")


def store_result(job: Job, result: JsonValue) -> None:
    """In the transaction that has completed it, and so holds its row. Raises `ResultUnstorable`."""
    if not is_storable(result):
        raise ResultUnstorable
    change_row(Job, {"result": result}, {"id": job.pk})


@cache
def _begin_statement(_vendor: str, if_owner_is_active: bool) -> str:
    sets = f'"started_at" = {now_sql()}, "attempts" = "attempts" + 1, "unknown_since" = NULL'
    users, jobs = User._meta.db_table, Job._meta.db_table
    owner = f'FROM "{users}" u WHERE u."id" = "{jobs}"."owner_id"'
    active = f'AND ("owner_id" IS NULL OR EXISTS (SELECT 1 {owner} AND u."is_active"))'
    condition = active if if_owner_is_active else ""
    returned = ", ".join(
        [
            *(f'"{name}"' for name in RETURNED),
            *(f'(SELECT u."{name}" {owner})' for name in _OF_OWNER),
        ]
    )
    return f"""
        UPDATE "{jobs}" SET {sets}
        WHERE "id" = %s AND "revision" = %s AND "status" = %s AND "lease_owner" = %s {condition}
        RETURNING {returned}
    """  # noqa: S608 (names of ours)
