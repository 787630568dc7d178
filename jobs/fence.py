"""The hold of a worker on a job: no write of one who lost it can be committed.

Django's own UPDATE neither returns what it wrote nor is it composed once; both count here, where
each job passes several times.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from django.db import connection, transaction
from django.db.models import Field, Model
from pydantic import JsonValue

from jobs.clock import as_datetime, later_sql, now_sql
from jobs.enums import TRANSITIONS, JobStatus
from jobs.errors import IllegalTransition, JobLeaseLost
from jobs.models import Job


@dataclass(frozen=True, slots=True)
class Later:
    """So many seconds after the database's now."""

    seconds: float


NOW = Later(0)
RETURNED = ("revision", "attempts", "started_at", "finished_at")

# What nobody holds has these values; every end of a hold sets them.
UNHELD: dict[str, Any] = {"lease_owner": "", "lease_expires_at": None}


@contextmanager
def fenced(job: Job) -> Iterator[None]:
    """A transaction whose end in an error leaves the job as it was, here too."""
    before = [getattr(job, name) for name in RETURNED]
    try:
        with transaction.atomic():
            yield
    except BaseException:
        for name, value in zip(RETURNED, before, strict=True):
            setattr(job, name, value)
        raise


def change(
    job: Job, values: dict[str, Any], *, counted: bool = False, expired: bool = False
) -> None:
    """Write to a job as it was claimed, within `fenced`; raises `JobLeaseLost`.

    `counted` raises the attempts; `expired` asks that the lease has run out by now. A change of
    status raises the revision; it must be an allowed one.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("a fence holds only within a transaction")
    if "status" in values:
        require_transition(JobStatus.RUNNING, values["status"])
    shape = tuple((name, _shape(value)) for name, value in values.items())
    statement = _statement(connection.vendor, shape, counted, expired)
    written = [parameter for name, value in values.items() for parameter in _stored(name, value)]
    key = Job._meta.pk.get_db_prep_save(job.pk, connection)
    with connection.cursor() as cursor:
        cursor.execute(statement, [*written, key, job.revision, JobStatus.RUNNING, job.lease_owner])
        row = cursor.fetchone()
    if row is None:
        raise JobLeaseLost
    job.revision, job.attempts = row[0], row[1]
    job.started_at, job.finished_at = as_datetime(row[2]), as_datetime(row[3])


def require_transition(source: str, target: str) -> None:
    if target not in TRANSITIONS[JobStatus(source)]:
        raise IllegalTransition(f"{source} → {target}")


def store_result(job: Job, result: JsonValue) -> None:
    """In the transaction that has completed it, and so holds its row."""
    values = [
        column(Job, name).get_db_prep_save(value, connection)
        for name, value in (("result", result), ("id", job.pk))
    ]
    with connection.cursor() as cursor:
        cursor.execute(f'UPDATE "{Job._meta.db_table}" SET "result" = %s WHERE "id" = %s', values)  # noqa: S608 (names of ours)


def _shape(value: Any) -> str:
    if value is NOW:
        return "now"
    return "later" if isinstance(value, Later) else "value"


def _stored(name: str, value: Any) -> list[Any]:
    if value is NOW:
        return []
    if isinstance(value, Later):
        return [value.seconds]
    return [column(Job, name).get_db_prep_save(value, connection)]


def column(model: type[Model], name: str) -> "Field[Any, Any]":
    return cast("Field[Any, Any]", model._meta.get_field(name))


@cache
def _statement(
    _vendor: str, shape: tuple[tuple[str, str], ...], counted: bool, expired: bool
) -> str:
    terms = {"now": now_sql(), "later": later_sql(), "value": "%s"}
    sets = [f'"{name}" = {terms[kind]}' for name, kind in shape]
    if "status" in dict(shape):
        sets.append('"revision" = "revision" + 1')
    if counted:
        sets.append('"attempts" = "attempts" + 1')
    lapsed = f'AND "lease_expires_at" <= {now_sql()}' if expired else ""
    returned = ", ".join(f'"{name}"' for name in RETURNED)
    return f"""
        UPDATE "{Job._meta.db_table}" SET {", ".join(sets)}
        WHERE "id" = %s AND "revision" = %s AND "status" = %s AND "lease_owner" = %s {lapsed}
        RETURNING {returned}
    """  # noqa: S608 (names of ours)
