"""/healthz says that the process is alive, /readyz that it can serve; both to anybody."""

from typing import Any
from unittest import mock

import pytest
from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor
from django.test import Client

from config.base import health


@pytest.fixture(autouse=True)
def not_yet_looked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_migrated", False)


def test_a_process_that_answers_is_alive(client: Client) -> None:
    """Without a look at the database: a broken one is no reason to restart us."""
    response = client.get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


@pytest.mark.both
@pytest.mark.django_db
def test_it_is_ready_when_database_and_migrations_are(client: Client) -> None:
    response = client.get("/readyz")
    assert response.status_code == 200
    assert response.json() == {
        "status": "ready",
        "checks": {
            "database": "ok",
            "migrations": "ok",
            "jobs": "ok (no workers, nothing due)",
            "secrets": "ok",
        },
    }


@pytest.mark.django_db
def test_it_asks_each_of_the_other_checks(client: Client, settings: Any) -> None:
    settings.READINESS_CHECKS = {
        "one": f"{__name__}.all_is_well",
        "two": f"{__name__}.something_is_wrong",
        "three": f"{__name__}.nobody_answers",
        "four": f"{__name__}.it_is_broken",
        "five": f"{__name__}.it_is_gone",
    }
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json()["status"] == "not ready"
    assert response.json()["checks"] == {
        "database": "ok",
        "migrations": "ok",
        "one": "ok (3 of 3)",
        "two": "too slow",
        "three": "unreachable (OperationalError)",
        "four": "failed (ZeroDivisionError)",
        "five": "failed (ImportError)",
    }


def all_is_well() -> str:
    return "ok (3 of 3)"


def something_is_wrong() -> str:
    return "too slow"


def nobody_answers() -> str:
    raise OperationalError("at 10.0.0.5")


def it_is_broken() -> str:
    raise ZeroDivisionError("of something private")


@pytest.mark.django_db
def test_it_is_not_ready_without_its_database(client: Client) -> None:
    with mock.patch.object(connection, "cursor", side_effect=OperationalError("at 10.0.0.5")):
        response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json() == {
        "status": "not ready",
        "checks": {"database": "unreachable (OperationalError)"},
    }


@pytest.mark.django_db
def test_it_is_not_ready_before_the_migrations(client: Client) -> None:
    with mock.patch.object(MigrationExecutor, "migration_plan", return_value=["one"]):
        response = client.get("/readyz")
        assert response.status_code == 503
        assert "migrate" in response.json()["checks"]["migrations"]
    assert client.get("/readyz").status_code == 200  # it looks again


@pytest.mark.django_db
def test_it_looks_at_the_migrations_until_they_are_complete_and_not_again(client: Client) -> None:
    assert client.get("/readyz").status_code == 200
    with mock.patch.object(health, "MigrationExecutor") as executor:
        assert client.get("/readyz").status_code == 200
    assert not executor.called
