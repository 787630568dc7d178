"""The hold of a worker on a job: no write of one who lost it can be committed.

Django's own UPDATE neither returns what it wrote nor is it composed once; both count here, where
each job passes several times.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from django.db import connection, transaction
from django.db.models import Field, Model
from pydantic import JsonValue

from config.base.inserts import Insertion, stored
from config.base.models import User
from config.base.storable import is_storable
from config.base.transactions import require_unbroken
from jobs.clock import as_datetime, later_sql, now_sql
from jobs.enums import TRANSITIONS, JobStatus
from jobs.errors import IllegalTransition, JobLeaseLost, ResultUnstorable
from jobs.models import Job


@dataclass(frozen=True, slots=True)
class Later:
    """So many seconds after the database's now."""

    seconds: float


NOW = Later(0)
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
    shape = tuple((name, _shape(value)) for name, value in values.items())
    written = [term for item in values.items() for term in _terms(*item)]
    _write(job, _statement(connection.vendor, shape, expired), written, adding)


def begin(job: Job, *, if_owner_is_active: bool = False) -> None:
    """Its handler starts: the attempt is counted. Within `fenced`; raises `JobLeaseLost`, also
    where the owner is not as asked for.

    Its owner is that of the moment, as much of them as every job needs; the rest is read when it is
    asked for, as with `only()`. Jobs of a batch would share what was true when it was claimed.
    """
    owner = _write(job, _begin_statement(connection.vendor, if_owner_is_active), [])
    if job.owner_id is not None:
        values = [*map(bool, owner), job.owner_id]
        job.owner = User.from_db(connection.alias, [*_OF_OWNER, "id"], values)


def _write(
    job: Job, statement: str, values: list[Any], adding: Sequence[Insertion] = ()
) -> tuple[Any, ...]:
    """What the statement returns beyond `RETURNED`."""
    if not connection.in_atomic_block:
        raise RuntimeError("a fence holds only within a transaction")
    values = [
        *values,
        stored(Job._meta.pk, job.pk),
        job.revision,
        JobStatus.RUNNING,
        job.lease_owner,
    ]
    row = _execute(statement, values, adding)
    if row is None:
        raise JobLeaseLost
    job.revision, job.attempts = row[:2]
    job.started_at, job.finished_at = map(as_datetime, row[2:4])
    return row[4:]


def _execute(
    statement: str, values: list[Any], adding: Sequence[Insertion]
) -> tuple[Any, ...] | None:
    """PostgreSQL does all in one statement, which spares ways there and back."""
    if adding and connection.vendor == "postgresql":
        together = _together(statement, *(row.sql for row in adding))
        return _fetch(together, [*values, *(value for row in adding for value in row.values)])
    found = _fetch(statement, values)
    if found is not None:
        for row in adding:
            row.write()
    return found


def _fetch(statement: str, values: list[Any]) -> tuple[Any, ...] | None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cast("tuple[Any, ...] | None", cursor.fetchone())


@cache
def _together(change: str, *insertions: str) -> str:
    added = [f"added{n} AS ({sql} FROM changed)" for n, sql in enumerate(insertions)]
    return f"WITH changed AS ({change}), {', '.join(added)} SELECT * FROM changed"  # noqa: S608


def require_transition(source: str, target: str) -> None:
    if target not in TRANSITIONS[JobStatus(source)]:
        raise IllegalTransition(f"{source} → {target}")


def store_result(job: Job, result: JsonValue) -> None:
    """In the transaction that has completed it, and so holds its row. Raises `ResultUnstorable`."""
    if not is_storable(result):
        raise ResultUnstorable
    values = [
        stored(column(Job, name), value) for name, value in (("result", result), ("id", job.pk))
    ]
    with connection.cursor() as cursor:
        cursor.execute(f'UPDATE "{Job._meta.db_table}" SET "result" = %s WHERE "id" = %s', values)  # noqa: S608 (names of ours)


def _shape(value: Any) -> str:
    if value is NOW:
        return "now"
    return "later" if isinstance(value, Later) else "value"


def _terms(name: str, value: Any) -> list[Any]:
    if value is NOW:
        return []
    if isinstance(value, Later):
        return [value.seconds]
    return [stored(column(Job, name), value)]


@cache
def column(model: type[Model], name: str) -> "Field[Any, Any]":
    return cast("Field[Any, Any]", model._meta.get_field(name))


@cache
def _statement(_vendor: str, shape: tuple[tuple[str, str], ...], expired: bool) -> str:
    terms = {"now": now_sql(), "later": later_sql(), "value": "%s"}
    sets = [f'"{name}" = {terms[kind]}' for name, kind in shape]
    if "status" in dict(shape):
        sets.append('"revision" = "revision" + 1')
    lapsed = f'AND "lease_expires_at" <= {now_sql()}' if expired else ""
    return _update(", ".join(sets), lapsed)


@cache
def _begin_statement(_vendor: str, if_owner_is_active: bool) -> str:
    sets = f'"started_at" = {now_sql()}, "attempts" = "attempts" + 1, "unknown_since" = NULL'
    users, jobs = User._meta.db_table, Job._meta.db_table
    owner = f'FROM "{users}" u WHERE u."id" = "{jobs}"."owner_id"'
    active = f'AND ("owner_id" IS NULL OR EXISTS (SELECT 1 {owner} AND u."is_active"))'
    condition = active if if_owner_is_active else ""
    return _update(sets, condition, *(f'(SELECT u."{name}" {owner})' for name in _OF_OWNER))


def _update(sets: str, condition: str, *returned: str) -> str:
    columns = ", ".join([*(f'"{name}"' for name in RETURNED), *returned])
    return f"""
        UPDATE "{Job._meta.db_table}" SET {sets}
        WHERE "id" = %s AND "revision" = %s AND "status" = %s AND "lease_owner" = %s {condition}
        RETURNING {columns}
    """  # noqa: S608 (names of ours)
