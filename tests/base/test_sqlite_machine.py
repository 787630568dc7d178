"""SQLite is for one machine: a second one is refused before it touches anything."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models.functions import Now
from pytest_django import Settings

from config.base.models import NamedLease
from config.base.sqlite import machine
from config.base.sqlite.machine import DUTY, MachineHost, OtherMachine, hold_database

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
    monkeypatch.setattr(connection.introspection, "table_names", lambda *_: [])
    hold_database()
    assert not NamedLease.objects.filter(name=DUTY).exists()


@pytest.mark.django_db(transaction=True)
def test_a_web_process_goes_on_holding_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "AGAIN_SECONDS", 0.01)
    held = list[str]()
    monkeypatch.setattr(machine, "hold_database", lambda: held.append(HERE))
    host = MachineHost()
    host.start()
    while len(held) < 2:
        host._thread.join(0.01)
    host.stop()
    assert not host._thread.is_alive()
