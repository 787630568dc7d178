"""Kill tests: each one runs on SQLite and on PostgreSQL, on a database of its own."""

import shutil
import signal
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from pytest_django import DjangoDbBlocker

from scripts.with_postgres import throwaway_postgres
from tests.processes.harness import Product, default_database

_numbers = count(1)

# Whoever began the tests may ignore these (nohup does, a shell does for its background jobs):
# every process that is started here would inherit that, and not be ended by them.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A throw-away server for these tests, started only if one asks for it."""
    with throwaway_postgres() as url:
        yield url


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated database to copy: migrating takes longer than most of these tests."""
    product = Product(tmp_path_factory.mktemp("sqlite-template"))
    product.manage("migrate")
    return product.home / "gatehouse.sqlite3"


@pytest.fixture(scope="session")
def postgres_template(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    url = create_database(postgres_url, "template")
    Product(tmp_path_factory.mktemp("postgres-template"), url).manage("migrate")
    return "template"


@pytest.fixture(params=["sqlite", "postgres"])
def product(
    request: pytest.FixtureRequest, tmp_path: Path, django_db_blocker: DjangoDbBlocker
) -> Iterator[Product]:
    """Migrated and empty; no server runs yet. Models and services here work on its database."""
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("sqlite_template"), tmp_path / "gatehouse.sqlite3")
        product = Product(tmp_path, migrated=True)
    else:
        template = request.getfixturevalue("postgres_template")
        server_url = request.getfixturevalue("postgres_url")
        url = create_database(server_url, f"t{next(_numbers)}", template)
        product = Product(tmp_path, url, migrated=True)
    try:
        with django_db_blocker.unblock(), default_database(product.database()):
            yield product
    finally:
        product.end()


def create_database(server_url: str, name: str, template: str = "template1") -> str:
    """Its URL. Never dropped: the whole server is thrown away."""
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
    return urlunsplit(urlsplit(server_url)._replace(path=f"/{name}"))
