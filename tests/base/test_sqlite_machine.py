"""SQLite is for one machine: a second one is refused before it touches anything."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models.functions import Now
from pytest_django import Settings

from config.base.models import NamedLease
from config.base.sqlite import machine
from config.base.sqlite.machine import DUTY, MachineHost, OtherMachine, hold_database
from tests.processes.waiting import until

pytestmark = pytest.mark.django_db
HERE, THERE = "desk:1111", "attic:2222"


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    be(monkeypatch, HERE)


def be(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(machine, "this_machine", lambda: name)


def test_the_same_machine_holds_it_again_and_again() -> None:
    hold_database()
    hold_database()
    assert NamedLease.objects.get(name=DUTY).lease_owner == HERE


def test_another_machine_is_refused_and_told_which_one(monkeypatch: pytest.MonkeyPatch) -> None:
    hold_database()
    be(monkeypatch, THERE)
    with pytest.raises(OtherMachine, match=r"\(desk\).*DATABASE_URL"):
        hold_database()
    assert NamedLease.objects.get(name=DUTY).lease_owner == HERE


def test_a_machine_that_is_gone_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    hold_database()
    NamedLease.objects.filter(name=DUTY).update(lease_expires_at=Now() - timedelta(seconds=1))
    be(monkeypatch, THERE)
    hold_database()
    assert NamedLease.objects.get(name=DUTY).lease_owner == THERE


def test_serve_says_so_and_migrates_nothing(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    hold_database()
    be(monkeypatch, THERE)
    settings.PORT = 0
    called = list[str]()
    monkeypatch.setattr(
        "config.base.management.commands.serve.call_command",
        lambda name, **_: called.append(name),
    )
    with pytest.raises(CommandError, match=r"Another machine \(desk\)"):
        call_command("serve", stdout=StringIO())
    assert called == ["check"]


def test_a_database_without_tables_is_nobodys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_has_table", False)
    monkeypatch.setattr(connection.introspection, "table_names", lambda *_: [])
    hold_database()
    assert not NamedLease.objects.filter(name=DUTY).exists()


def test_whether_the_table_is_there_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    hold_database()
    monkeypatch.setattr(connection.introspection, "table_names", lambda *_: pytest.fail("asked"))
    hold_database()


def test_one_that_has_ended_gives_way_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    hold_database()
    machine.release_database()
    be(monkeypatch, THERE)
    hold_database()
    assert NamedLease.objects.get(name=DUTY).lease_owner == THERE


def test_one_that_was_displaced_releases_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    hold_database()
    be(monkeypatch, THERE)
    machine.release_database()
    assert NamedLease.objects.get(name=DUTY).lease_owner == HERE


@pytest.mark.django_db(transaction=True)
def test_somebody_else_s_lock_does_not_hold_up_the_end(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    hold_database()
    monkeypatch.setattr(machine, "RELEASE_MS", 1)
    file = connection.settings_dict["NAME"]
    with closing(sqlite3.connect(file, isolation_level=None, uri=True)) as foreign:
        foreign.execute("BEGIN IMMEDIATE")
        machine.release_database()
        foreign.execute("ROLLBACK")
    assert "still this machine's" in caplog.text
    machine.release_database()
    assert NamedLease.objects.get(name=DUTY).lease_owner == ""


# --- The web process ---


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Iterator[MachineHost]:
    monkeypatch.setattr(machine, "AGAIN_SECONDS", 0.01)
    host = MachineHost()
    yield host
    host.stop()


@pytest.mark.django_db(transaction=True)
def test_a_web_process_goes_on_holding_it(host: MachineHost) -> None:
    host.start()
    began = held_until()
    until(lambda: held_until() > began)
    host.stop()
    assert not host._thread.is_alive()


@pytest.mark.django_db(transaction=True)
def test_a_web_process_of_another_machine_does_not_start(
    host: MachineHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold_database()
    be(monkeypatch, THERE)
    with pytest.raises(OtherMachine):
        host.start()
    host.stop()
    assert NamedLease.objects.get(name=DUTY).lease_owner == HERE


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("supervised", "owner"), [(False, ""), (True, HERE)])
def test_a_web_process_that_stops_releases_it_if_it_is_the_only_one(
    supervised: bool, owner: str, host: MachineHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a supervised set the supervisor does, when all of them have ended."""
    monkeypatch.setattr(machine, "is_supervised", lambda: supervised)
    host.start()
    host.stop()
    assert NamedLease.objects.get(name=DUTY).lease_owner == owner


@pytest.mark.django_db(transaction=True)
def test_a_web_process_that_is_displaced_says_so_once(
    host: MachineHost, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    host.start()
    refused = list[None]()

    def refuse() -> None:
        refused.append(None)
        raise OtherMachine

    monkeypatch.setattr(machine, "hold_database", refuse)
    until(lambda: len(refused) > 2)
    host.stop()
    assert caplog.text.count("could not say") == 1


def held_until() -> datetime:
    expires_at = NamedLease.objects.get(name=DUTY).lease_expires_at
    assert expires_at is not None
    return expires_at
