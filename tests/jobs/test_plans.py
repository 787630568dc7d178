"""What workers ask all the time reads two small indexes, however long the history and the future.

The trap: a partial index on `status IN (…)` looks the same in a plan with literals, and is silently
not used with bound parameters, which is what a worker sends.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import QuerySet

from jobs.backlog import due_jobs
from jobs.claiming import MOST, claim_due_jobs, claim_statement, waits_statement
from jobs.enums import WAITING, JobStatus
from jobs.models import Job
from jobs.services.recovery import BATCH, lost_jobs
from tests.jobs.factories import JobFactory, make_job
from tests.plans import analyze

pytestmark = [pytest.mark.both, pytest.mark.django_db]

MANY = 20_000
TABLE = Job._meta.db_table
CLAIM = [*WAITING, MOST, *WAITING, MOST, MOST, JobStatus.RUNNING, "worker", 120, *WAITING]

NUMBERS = {
    "postgresql": f"SELECT GENERATE_SERIES(1, {MANY}) AS n",
    "sqlite": "WITH RECURSIVE numbers(n) AS "
    f"(SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {MANY}) SELECT n FROM numbers",
}
# What a foreign key has yet to check would keep PostgreSQL from changing an index.
SETTLED = {"postgresql": "SET CONSTRAINTS ALL IMMEDIATE", "sqlite": "SELECT 1"}
DEAR_INDEXES = {"postgresql": "SET LOCAL random_page_cost = 1000000", "sqlite": "SELECT 1"}
# Each copy has a name and times of its own.
COPIED = {
    "postgresql": {
        "id": "GEN_RANDOM_UUID()",
        "next_attempt_at": "j.next_attempt_at + n * INTERVAL '1 second'",
        "finished_at": "j.finished_at - n * INTERVAL '1 second'",
    },
    "sqlite": {
        "id": "LOWER(HEX(RANDOMBLOB(16)))",
        "next_attempt_at": "STRFTIME('%Y-%m-%d %H:%M:%f', j.next_attempt_at, n || ' seconds')",
        "finished_at": "STRFTIME('%Y-%m-%d %H:%M:%f', j.finished_at, '-' || n || ' seconds')",
    },
}


def multiply(job: Job) -> None:
    columns = [str(field.column) for field in Job._meta.concrete_fields]
    values = [COPIED[connection.vendor].get(name, f'j."{name}"') for name in columns]
    names = ", ".join(f'"{name}"' for name in columns)
    key = Job._meta.pk.get_db_prep_save(job.pk, connection)
    with connection.cursor() as cursor:
        cursor.execute(
            f'INSERT INTO "{TABLE}" ({names}) SELECT {", ".join(values)}'.replace("%", "%%")
            + f' FROM "{TABLE}" j, ({NUMBERS[connection.vendor]}) numbers WHERE j."id" = %s',
            [key],
        )


@pytest.fixture
def history(db: None) -> None:
    """A long past, a long future, a few due, a few that run, and one whose lease ran out."""
    multiply(make_job(JobStatus.COMPLETED))
    multiply(JobFactory.create(future=True))
    JobFactory.create_batch(30)
    for _ in range(30):
        make_job(JobStatus.RUNNING)
    analyze(Job)


def compiled(rows: QuerySet[Any]) -> tuple[str, list[Any]]:
    sql, parameters = rows.query.sql_with_params()
    return sql, list(parameters)


def plans_of(sql: str, parameters: list[Any]) -> list[str]:
    """With bound parameters. PostgreSQL: also of a plan that is made before they are known."""
    if connection.vendor == "sqlite":
        return [explained(f"EXPLAIN QUERY PLAN {sql}", parameters)]
    return [explained(f"EXPLAIN {sql}", parameters), generic_plan_of(sql, parameters)]


def explained(sql: str, parameters: list[Any]) -> str:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return "\n".join(str(row[-1]) for row in cursor.fetchall())


def generic_plan_of(sql: str, parameters: list[Any]) -> str:
    numbers = iter(range(1, len(parameters) + 1))
    prepared = re.sub("%s", lambda _: f"${next(numbers)}", sql).replace("%%", "%")
    marks = ", ".join(["%s"] * len(parameters))
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        cursor.execute(f"PREPARE asked AS {prepared}".replace("%", "%%"), [])
        try:
            call = f"EXECUTE asked ({marks})" if parameters else "EXECUTE asked"
            cursor.execute(f"EXPLAIN {call}", parameters)
            return "\n".join(str(row[-1]) for row in cursor.fetchall())
        finally:
            cursor.execute("DEALLOCATE asked")


def assert_reads_only(sql: str, parameters: list[Any], *indexes: str) -> None:
    for plan in plans_of(sql, parameters):
        for index in indexes:
            assert index in plan, plan
        assert not list(scans_in(plan)), plan


def scans_in(plan: str) -> Iterator[str]:
    """Reads of all jobs: of the table, or of an index from one end to the other."""
    lines = [*plan.splitlines(), ""]
    for line, following in pairwise(lines):
        if connection.vendor == "sqlite":
            found = f"SCAN {TABLE}" in line
        else:
            through = re.search(rf"Index (Only )?Scan using \w+ on {TABLE}", line)
            found = f"Seq Scan on {TABLE}" in line or (
                through is not None and "Index Cond" not in following
            )
        if found:
            yield line


def is_noticed(index: str, by: str, sql: str, parameters: list[Any]) -> bool:
    """Whether the assertion above fails when the index is another one; it is put back."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f'DROP INDEX "{index}"')
        cursor.execute(f'CREATE INDEX "{index}" ON "{TABLE}" {by}')
        analyze(Job)
        noticed = False
        try:
            assert_reads_only(sql, parameters, index)
        except AssertionError:
            noticed = True
        transaction.set_rollback(True)
    return noticed


@pytest.mark.usefixtures("history")
def test_workers_read_only_what_is_due_or_leased() -> None:
    assert_reads_only(claim_statement(connection.vendor), CLAIM, "job_due")
    assert_reads_only(waits_statement(connection.vendor), [*WAITING], "job_due", "job_leased")
    assert_reads_only(*compiled(lost_jobs()[:BATCH]), "job_leased")
    assert_reads_only(*compiled(due_jobs()), "job_due")
    oldest = due_jobs().order_by("next_attempt_at").values_list("next_attempt_at", flat=True)[:1]
    assert_reads_only(*compiled(oldest), "job_due")


@pytest.mark.usefixtures("history")
def test_the_tempting_indexes_on_a_status_would_be_noticed() -> None:
    claim = claim_statement(connection.vendor)
    with connection.cursor() as cursor:
        cursor.execute(SETTLED[connection.vendor])
    for condition in ("status IN ('scheduled', 'retrying')", "status = 'scheduled'"):
        assert is_noticed("job_due", f"(next_attempt_at, id) WHERE {condition}", claim, CLAIM)
    leased = compiled(lost_jobs())
    assert is_noticed("job_leased", "(lease_expires_at) WHERE status = 'running'", *leased)
    fine = "(next_attempt_at) WHERE next_attempt_at IS NOT NULL"
    assert not is_noticed("job_due", fine, claim, CLAIM)


def test_a_claim_reads_indexes_even_where_the_whole_table_looks_cheaper() -> None:
    """As it does while there are few jobs; workers plan it then, and afterwards a backlog comes."""
    JobFactory.create()
    with connection.cursor() as cursor:
        cursor.execute(DEAR_INDEXES[connection.vendor])
    assert len(claim_due_jobs("worker", limit=1)) == 1
    for plan in plans_of(claim_statement(connection.vendor), CLAIM):
        assert not list(scans_in(plan)), plan
