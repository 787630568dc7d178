"""A worker's connections: kept, unpooled, and none holds a row longer than a lease."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from django.db import connection, connections
from pytest_django import Settings

from jobs.processes.database import keep_one_connection

pytestmark = [pytest.mark.both, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = deepcopy(connections.settings["default"])
    yield
    connections["default"].close()
    del connections["default"]
    connections.settings["default"].clear()
    connections.settings["default"].update(before)


def test_a_connection_outlives_a_wake_up(settings: Settings) -> None:
    keep_one_connection()
    connection.ensure_connection()
    connection.close_if_unusable_or_obsolete()
    assert connection.connection is not None
    assert "pool" not in connection.settings_dict["OPTIONS"]


def test_the_server_ends_a_transaction_that_froze_for_a_lease(settings: Settings) -> None:
    settings.JOB_LEASE_SECONDS = 7
    if connection.vendor == "postgresql":
        connections.settings["default"]["OPTIONS"]["options"] = "-c work_mem=5MB"
        keep_one_connection()
        assert shown("work_mem") == "5MB"  # what an operator asked of the server stays
        assert shown("idle_in_transaction_session_timeout") == "7s"
        assert connection.connection.prepare_threshold == 2
    else:
        keep_one_connection()
        assert connection.settings_dict["OPTIONS"]["transaction_mode"] == "IMMEDIATE"


def shown(name: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(f"SHOW {name}")
        return cursor.fetchone()[0]
