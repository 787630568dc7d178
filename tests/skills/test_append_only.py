"""Neither the code nor the database changes or deletes what was recorded."""

from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.checks import Tags, run_checks
from django.core.management import call_command
from django.db import DatabaseError, connection, models, transaction

from skills import triggers
from skills.errors import AppendOnly
from skills.models import AuditEvent, AuditSeal
from skills.triggers import FUNCTION
from tests.skills.audit import record_many, run_sql, seal_all

pytestmark = [pytest.mark.both, pytest.mark.django_db]

MODELS: list[type[AuditEvent] | type[AuditSeal]] = [AuditEvent, AuditSeal]
EVENTS, SEALS = "skills_auditevent", "skills_auditseal"


@pytest.fixture(autouse=True)
def sealed_events(db: None) -> None:
    record_many(3)
    seal_all()


def all_rows() -> list[Any]:
    return [list(model.objects.order_by("pk").values()) for model in MODELS]


ORM_CHANGES: dict[str, Callable[[Any], object]] = {
    "save": lambda model: model.objects.first().save(),
    "save some fields": lambda model: model.objects.first().save(update_fields=["pk"]),
    "delete": lambda model: model.objects.first().delete(),
    "update": lambda model: model.objects.update(pk=9),
    "filtered update": lambda model: model.objects.filter(pk=1).update(pk=9),
    "delete all": lambda model: model.objects.all().delete(),
    "raw delete": lambda model: model.objects.all()._raw_delete("default"),
    "bulk update": lambda model: model.objects.bulk_update(list(model.objects.all()), ["pk"]),
    "update or create": lambda model: model.objects.update_or_create(pk=1),
    "upsert": lambda model: model.objects.bulk_create([], update_conflicts=True),
    "ignoring insert": lambda model: model.objects.bulk_create([], ignore_conflicts=True),
    "base manager": lambda model: model._base_manager.all().delete(),
    "with a manager's back turned": lambda model: model._default_manager.update(pk=9),
}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("change", ORM_CHANGES.values(), ids=ORM_CHANGES)
def test_the_code_refuses(model: type[Any], change: Callable[[Any], object]) -> None:
    before = all_rows()
    with pytest.raises((AppendOnly, TypeError)):
        change(model)
    assert all_rows() == before


def test_an_event_may_be_made_in_bulk() -> None:
    copy = AuditEvent(**{**AuditEvent.objects.values().latest("id"), "id": None})
    copy.event_id = type(copy)().event_id
    AuditEvent.objects.bulk_create([copy])
    assert AuditEvent.objects.count() == 4


SQL_CHANGES = {
    "update": "UPDATE {table} SET {key} = {key}",
    "update of nothing that is there": "UPDATE {table} SET {key} = {key} WHERE {key} = {first}",
    "delete": "DELETE FROM {table}",
    "delete of one": "DELETE FROM {table} WHERE {key} = {first}",
}
POSTGRES_CHANGES = {
    "truncate": "TRUNCATE {table}",
    "truncate with others": "TRUNCATE {table} CASCADE",
    "upsert": "INSERT INTO {table} SELECT * FROM {table} "
    "ON CONFLICT ({key}) DO UPDATE SET {key} = 9",
    "same id": "INSERT INTO {table} SELECT * FROM {table}",
}
SQLITE_CHANGES = {
    "replace": "INSERT OR REPLACE INTO {table} SELECT * FROM {table}",
    "replace into": "REPLACE INTO {table} SELECT * FROM {table}",
    "update or replace": "UPDATE OR REPLACE {table} SET {key} = {key} + 1",
    "upsert": "INSERT INTO {table} SELECT * FROM {table} WHERE true "
    "ON CONFLICT ({key}) DO UPDATE SET {key} = 9",
    "same id": "INSERT INTO {table} SELECT * FROM {table}",
}


def refused_by_the_database(sql: str, model: type[models.Model]) -> None:
    before, key = all_rows(), model._meta.pk.attname
    statement = sql.format(
        table=model._meta.db_table, key=key, first=model._base_manager.earliest("pk").pk
    )
    with pytest.raises(DatabaseError), transaction.atomic():
        run_sql(statement)
    assert all_rows() == before


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("sql", SQL_CHANGES.values(), ids=SQL_CHANGES)
def test_the_database_refuses(sql: str, model: type[models.Model]) -> None:
    refused_by_the_database(sql, model)


@pytest.mark.parametrize("model", MODELS)
def test_the_database_refuses_its_own_ways_to_change(model: type[models.Model]) -> None:
    own = POSTGRES_CHANGES if connection.vendor == "postgresql" else SQLITE_CHANGES
    for sql in own.values():
        refused_by_the_database(sql, model)


def test_replacing_is_refused_without_recursive_triggers_too() -> None:
    """SQLite's setting belongs to the connection, and others open the file as well."""
    if connection.vendor == "sqlite":
        run_sql("PRAGMA recursive_triggers=OFF")
    try:
        for model in MODELS:
            refused_by_the_database(
                SQLITE_CHANGES["replace"]
                if connection.vendor == "sqlite"
                else POSTGRES_CHANGES["upsert"],
                model,
            )
    finally:
        if connection.vendor == "sqlite":
            run_sql("PRAGMA recursive_triggers=ON")


def test_replacing_by_the_other_unique_column_is_refused() -> None:
    """A new id with an old event_id would delete the old row."""
    columns = [field.attname for field in AuditEvent._meta.concrete_fields if not field.primary_key]
    names = ", ".join(columns)
    verb = "INSERT OR REPLACE" if connection.vendor == "sqlite" else "INSERT"
    refused_by_the_database(
        f"{verb} INTO {{table}} ({names}) SELECT {names} FROM {{table}}", AuditEvent
    )


def test_inserting_still_works() -> None:
    record_many(2)
    assert len(seal_all()) == 1


def test_they_are_all_there() -> None:
    assert triggers.missing_triggers(connection) == []


def test_those_that_are_gone_are_named_and_made_again() -> None:
    triggers.drop_triggers(connection)
    missing = triggers.missing_triggers(connection)
    assert {name.split("_")[1] for name in missing} == {"auditevent", "auditseal", "auditsubject"}
    assert triggers.make_triggers(connection) == missing
    assert triggers.missing_triggers(connection) == []
    assert triggers.make_triggers(connection) == []
    refused_by_the_database(SQL_CHANGES["delete"], AuditEvent)


_ANEW = f"DROP TRIGGER {EVENTS}_append_only ON {EVENTS}; CREATE TRIGGER {EVENTS}_append_only"
_NEVER = "FOR EACH STATEMENT WHEN (false) EXECUTE FUNCTION"
_RAISE = f"SELECT RAISE(ABORT, '{EVENTS} is append-only: DELETE refused')"
BLUNTED = {
    "postgresql": [
        f"ALTER TABLE {EVENTS} DISABLE TRIGGER {EVENTS}_append_only",
        f"ALTER TABLE {EVENTS} ENABLE REPLICA TRIGGER {EVENTS}_append_only",
        f"CREATE OR REPLACE FUNCTION {FUNCTION}() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END'",
        f"{_ANEW} BEFORE UPDATE ON {EVENTS} FOR EACH STATEMENT EXECUTE FUNCTION {FUNCTION}()",
        f"{_ANEW} BEFORE UPDATE OR DELETE OR TRUNCATE ON {EVENTS} {_NEVER} {FUNCTION}()",
    ],
    "sqlite": [
        f"CREATE TRIGGER {EVENTS}_no_delete BEFORE DELETE ON {EVENTS} BEGIN SELECT 1; END",
        f"CREATE TRIGGER {EVENTS}_no_delete BEFORE DELETE ON {EVENTS} WHEN 0 BEGIN {_RAISE}; END",
    ],
}


def test_one_that_does_nothing_counts_as_missing_and_is_repaired() -> None:
    for sql in BLUNTED[connection.vendor]:
        if connection.vendor == "sqlite":
            run_sql(f"DROP TRIGGER {EVENTS}_no_delete")
        run_sql(sql)
        assert triggers.missing_triggers(connection)
        triggers.make_triggers(connection)
        assert triggers.missing_triggers(connection) == []
        refused_by_the_database(SQL_CHANGES["delete"], AuditEvent)


def test_a_system_check_warns_of_missing_ones() -> None:
    def warnings() -> list[str]:
        found = run_checks(tags=[Tags.database], databases=["default"])
        return [str(warning.id) for warning in found if "audit" in str(warning.msg)]

    assert warnings() == []
    triggers.drop_triggers(connection)
    assert warnings() == ["gatehouse.W002"]


@pytest.mark.django_db(transaction=True)
def test_they_survive_a_migration_that_rebuilds_the_table() -> None:
    narrow = AuditEvent._meta.get_field("tool")
    wide = models.CharField(max_length=300, blank=True)
    wide.set_attributes_from_name("tool")
    wide.model = AuditEvent
    with connection.schema_editor() as editor:
        editor.alter_field(AuditEvent, narrow, wide)
    try:
        lost = triggers.missing_triggers(connection)
        assert bool(lost) == (connection.vendor == "sqlite")
        call_command("migrate", verbosity=0, stdout=StringIO())
        assert triggers.missing_triggers(connection) == []
        refused_by_the_database(SQL_CHANGES["update"], AuditEvent)
    finally:
        with connection.schema_editor() as editor:
            editor.alter_field(AuditEvent, wide, narrow)
