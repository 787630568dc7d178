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

from skills.triggers import drop_triggers, make_triggers


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """SQLite: a file in WAL mode, as in the product; in memory, threads would share one lock."""
    database = settings.DATABASES["default"]
    if database["ENGINE"] == "django.db.backends.sqlite3":
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

    with mock.patch.object(TransactionTestCase, "_fixture_teardown", teardown):
        yield


@contextmanager
def without_triggers(connection: BaseDatabaseWrapper) -> Iterator[None]:
    drop_triggers(connection)
    try:
        yield
    finally:
        make_triggers(connection)
