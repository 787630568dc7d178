"""What every test gets: an isolated product, the cast, and no network but loopback."""

import shutil
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from django.conf import settings

from tests.isolation import HOME  # first of ours: sets Django up
from tests.network import NetworkGuard

SLOW_FOLDERS = ("browser", "fuzz", "processes")

pytest_plugins = ["tests.cast", "tests.database", "tests.documented"]


def pytest_unconfigure() -> None:
    shutil.rmtree(HOME, ignore_errors=True)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The folder decides: nobody forgets to mark a slow test."""
    for item in items:
        for name in SLOW_FOLDERS:
            if Path(__file__).with_name(name) in item.path.parents:
                item.add_marker(name)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that is skipped, or expected to fail, proves nothing: it counts as failed."""
    return refuse_skipping((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """So does a whole file of them."""
    return refuse_skipping((yield))


def refuse_skipping[ReportT: (pytest.TestReport, pytest.CollectReport)](report: ReportT) -> ReportT:
    if report.skipped:
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid} was skipped: {report.longrepr}"
    return report


@pytest.fixture(scope="session", autouse=True)
def delete_output_dir() -> None:
    """Replaces pytest-playwright's, which empties test-results/ without a browser test too."""


@pytest.fixture(scope="session", autouse=True)
def quick_passwords(django_test_environment: None) -> None:
    """Hashing is slow on purpose in the product, and only slow here."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(scope="session", autouse=True)
def quick_clients(django_test_environment: None) -> None:
    """Each test client makes its own middleware; WhiteNoise's would list every static file."""
    settings.WHITENOISE_AUTOREFRESH = True


@pytest.fixture(scope="session", autouse=True)
def network_guard() -> Iterator[NetworkGuard]:
    with NetworkGuard() as guard:
        yield guard


@pytest.fixture(autouse=True)
def no_network(network_guard: NetworkGuard) -> Iterator[None]:
    """Fails the test that left the machine, even if the product swallowed the refusal."""
    network_guard.attempts.clear()
    yield
    assert not network_guard.attempts, f"tried to reach {network_guard.attempts}"
