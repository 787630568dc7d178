"""The tests' own database, and how it is emptied although the audit can't be."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import pytest
from django.conf import settings
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import TransactionTestCase

from jobs.models import JobSeries
from skills.models import AuditEvent
from skills.triggers import drop_triggers, make_triggers


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """SQLite: a file in WAL mode, as in the product; in memory, threads would share one lock."""
    database = settings.DATABASES["default"]
    if database["ENGINE"] == "config.base.sqlite":
        database["TEST"]["NAME"] = str(tmp_path_factory.getbasetemp() / "test.sqlite3")
    else:
        request.getfixturevalue("django_db_modify_db_settings_parallel_suffix")


@pytest.fixture(scope="session", autouse=True)
def emptying_lifts_triggers() -> Iterator[None]:
    """Django empties all tables after a `transaction=True` test; the audit's triggers forbid it."""
    original = TransactionTestCase._fixture_teardown  # type: ignore[attr-defined]  # private

    def teardown(case: Any) -> None:
        with ExitStack() as lifted:
            for alias in case._databases_names(include_mirrors=False):
                lifted.enter_context(without_triggers(connections[alias]))
            original(case)
        for alias in case._databases_names(include_mirrors=False):
            forget_migrating(connections[alias])

    with mock.patch.object(TransactionTestCase, "_fixture_teardown", teardown):
        yield


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> None:
    """A test begins with the shipped tools, and without their events or the shipped series."""
    with django_db_blocker.unblock():
        for connection in connections.all():
            forget_migrating(connection)


def forget_migrating(connection: BaseDatabaseWrapper) -> None:
    """Past model and triggers, which refuse. After emptying too: that ends like `migrate`."""
    with without_triggers(connection), connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {AuditEvent._meta.db_table}")
        cursor.execute(f"DELETE FROM {JobSeries._meta.db_table}")


@contextmanager
def without_triggers(connection: BaseDatabaseWrapper) -> Iterator[None]:
    drop_triggers(connection)
    try:
        yield
    finally:
        make_triggers(connection)
