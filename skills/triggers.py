"""The database itself refuses to change or delete audit events and seals, and to change subjects
(which erasing deletes, one by one).

PostgreSQL: one statement trigger per table, TRUNCATE included. SQLite: before UPDATE, before
DELETE, and before an INSERT of an id that exists (INSERT OR REPLACE would edit a row past the other
two). They are made after `migrate`; whoever owns the tables can drop them, so their absence is
reported by a system check, by `verify_audit`, and repaired loudly when the sealer starts.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from skills.models import AuditEvent, AuditSeal, AuditSubject


@dataclass(frozen=True, slots=True)
class Guarded:
    """`unique`: columns by which SQLite's INSERT OR REPLACE could meet an existing row."""

    model: type[models.Model]
    unique: tuple[str, ...]
    keeps_all: bool = True  # DELETE is refused too

    @property
    def table(self) -> str:
        return self.model._meta.db_table


GUARDED = (
    Guarded(AuditEvent, ("id", "event_id")),
    Guarded(AuditSeal, ("n",)),
    Guarded(AuditSubject, ("id", "user_id"), keeps_all=False),
)
FUNCTION = "gatehouse_append_only"
_LOCK = 0x6761_7465_0001  # of two processes that start at once, one makes them
_FUNCTION_BODY = """
BEGIN
  RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP;
END
"""
_ENABLED = ("O", "A")
_CHANGES = "BEFORE UPDATE OR TRUNCATE"


@dataclass(frozen=True, slots=True)
class Trigger:
    table: str
    name: str
    sql: str
    operations: str = ""  # as PostgreSQL names them


def _postgres_triggers() -> list[Trigger]:
    made = []
    for guarded in GUARDED:
        table, name = guarded.table, f"{guarded.table}_append_only"
        before = "BEFORE DELETE OR UPDATE OR TRUNCATE" if guarded.keeps_all else _CHANGES
        sql = (
            f"CREATE TRIGGER {name} {before} ON {table} "
            f"FOR EACH STATEMENT EXECUTE FUNCTION {FUNCTION}()"
        )
        made.append(Trigger(table, name, sql, before))
    return made


def _sqlite_trigger(table: str, kind: str, condition: str = "") -> Trigger:
    name = f"{table}_no_{kind.lower()}"
    operation = "INSERT" if kind == "REPLACE" else kind
    return Trigger(
        table,
        name,
        f"CREATE TRIGGER {name} BEFORE {operation} ON {table} {condition}"
        f"BEGIN SELECT RAISE(ABORT, '{table} is append-only: {kind} refused'); END",
    )


def _sqlite_triggers() -> list[Trigger]:
    made = []
    for guarded in GUARDED:
        table = guarded.table
        same = " OR ".join(f"{column} = NEW.{column}" for column in guarded.unique)
        exists = f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {same}) "  # noqa: S608  (our own names)
        made += [_sqlite_trigger(table, "UPDATE"), _sqlite_trigger(table, "REPLACE", exists)]
        if guarded.keeps_all:
            made.append(_sqlite_trigger(table, "DELETE"))
    return made


def _wanted(connection: BaseDatabaseWrapper) -> list[Trigger]:
    """For the tables that there are: before the first migration there is nothing to guard."""
    tables = set(connection.introspection.table_names())
    triggers = _postgres_triggers() if connection.vendor == "postgresql" else _sqlite_triggers()
    return [trigger for trigger in triggers if trigger.table in tables]


def _intact_on_sqlite(connection: BaseDatabaseWrapper) -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        found = dict(cursor.fetchall())
    return {
        trigger.name for trigger in _sqlite_triggers() if found.get(trigger.name) == trigger.sql
    }


def _intact_on_postgres(connection: BaseDatabaseWrapper) -> set[str]:
    """There, enabled, for the right operations, and calling our function with our body."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT t.tgname, t.tgenabled, pg_get_triggerdef(t.oid), p.prosrc"
            " FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid"
            " WHERE NOT t.tgisinternal AND p.proname = %s"
            " AND t.tgrelid IN (SELECT c.oid FROM pg_class c WHERE pg_table_is_visible(c.oid))",
            [FUNCTION],
        )
        wanted = {trigger.name: f" {trigger.operations} ON " for trigger in _postgres_triggers()}
        return {
            name
            for name, enabled, definition, body in cursor.fetchall()
            if enabled in _ENABLED
            and body == _FUNCTION_BODY
            and name in wanted
            and wanted[name] in definition
            and " WHEN (" not in definition
        }


def missing_triggers(connection: BaseDatabaseWrapper) -> list[str]:
    """Names of triggers that are absent, switched off or not what we made."""
    wanted = _wanted(connection)
    if not wanted:
        return []
    on_postgres = connection.vendor == "postgresql"
    intact = _intact_on_postgres(connection) if on_postgres else _intact_on_sqlite(connection)
    return [trigger.name for trigger in wanted if trigger.name not in intact]


def make_triggers(connection: BaseDatabaseWrapper) -> list[str]:
    """Make those that are missing and name them; nothing is locked when none is."""
    if not missing_triggers(connection):
        return []
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        missing = missing_triggers(connection)
        if missing and connection.vendor == "postgresql":
            cursor.execute(
                f"CREATE OR REPLACE FUNCTION {FUNCTION}() RETURNS trigger LANGUAGE plpgsql"
                f" AS $${_FUNCTION_BODY}$$"
            )
        for trigger in _wanted(connection):
            if trigger.name in missing:
                _drop(connection, trigger)
                cursor.execute(trigger.sql)
    return missing


def drop_triggers(connection: BaseDatabaseWrapper, *, of: type[models.Model] | None = None) -> None:
    """For retention, in its own transaction, and for tests that empty the tables (all)."""
    for trigger in _wanted(connection):
        if of is None or trigger.table == of._meta.db_table:
            _drop(connection, trigger)


@contextmanager
def lifted_triggers(
    connection: BaseDatabaseWrapper, *, of: type[models.Model] | None = None
) -> Iterator[None]:
    """Within the caller's transaction: if that fails, they have never been away."""
    drop_triggers(connection, of=of)
    yield
    make_triggers(connection)


def _drop(connection: BaseDatabaseWrapper, trigger: Trigger) -> None:
    of_table = f" ON {trigger.table}" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER IF EXISTS {trigger.name}{of_table}")
