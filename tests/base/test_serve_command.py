"""`manage.py serve`: it says in one line why it can't listen, and runs what it is asked to."""

import os
import socket
from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from config.base.management.commands import serve
from config.base.management.commands.serve import check_port
from config.base.models import User
from tests.tools.secrets import KEYS, make_secret


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_free_port_is_taken_without_a_word() -> None:
    check_port("127.0.0.1", 0)


def test_a_taken_port_is_one_clear_line(taken: int) -> None:
    with pytest.raises(CommandError) as error:
        check_port("127.0.0.1", taken)
    assert f"127.0.0.1:{taken} (Address already in use)" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("host", ["192.0.2.1", "2001:db8::1"])
def test_a_host_that_is_not_ours_is_said_so(host: str, taken: int) -> None:
    with pytest.raises(CommandError, match=f"listen on {host}:{taken}"):
        check_port(host, taken)


def test_the_command_touches_no_database_then(settings: Settings, taken: int) -> None:
    settings.HOST, settings.PORT = "127.0.0.1", taken
    with pytest.raises(CommandError, match="Can't listen"):  # the test has no database
        call_command("serve")


# --- What it runs ---

PROCESSES = dict.fromkeys(("web", "worker", "pulse"), "config.base.processes.web.main")


@pytest.fixture
def supervised(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> list[dict[str, str]]:
    """What the supervisor is given; nothing is forked."""
    given: list[dict[str, str]] = []
    monkeypatch.setattr(serve, "supervise", given.append)
    settings.HOST, settings.PORT = "127.0.0.1", 0
    settings.PROCESSES = PROCESSES
    return given


def served(*options: str) -> str:
    out = StringIO()
    call_command("serve", "--no-migrate", *options, stdout=out)
    return out.getvalue()


@pytest.mark.django_db
def test_all_processes_are_supervised(supervised: list[dict[str, str]]) -> None:
    assert "Gatehouse: http://127.0.0.1:0/ (Ctrl+C ends it)" in served()
    assert supervised == [PROCESSES]


@pytest.mark.django_db
def test_what_a_check_warns_of_in_the_database_is_printed(
    supervised: list[dict[str, str]],
    operator: User,
    settings: Settings,
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings.SECRETS_KEYS = [KEYS[0]]
    make_secret(operator)
    settings.SECRETS_KEYS = [KEYS[1]]
    served()
    assert "(tools.W001) GATEHOUSE_SECRETS_KEY lacks the key" in capsys.readouterr().err
    assert supervised


@pytest.mark.django_db
def test_a_machine_of_workers_needs_no_port_and_gets_no_demo(
    supervised: list[dict[str, str]], settings: Settings, taken: int
) -> None:
    settings.PORT = taken
    settings.DEBUG, settings.DATABASE_URL = True, ""
    said = served("--only", "worker")
    assert "Gatehouse: worker, pulse (Ctrl+C ends it)" in said
    assert "Demo sign-ins" not in said
    assert supervised == [{name: PROCESSES[name] for name in ("worker", "pulse")}]
    assert not User.objects.exists()


@pytest.mark.django_db
def test_a_web_process_alone_has_no_supervisor(
    supervised: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[dict[str, object]] = []
    monkeypatch.setattr("uvicorn.run", lambda _app, **options: ran.append(options))
    served("--only", "web")
    assert supervised == []
    assert [(options["host"], options["port"]) for options in ran] == [("127.0.0.1", 0)]


@pytest.mark.django_db
def test_the_supervisor_gives_the_database_free_when_all_have_ended(
    supervised: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However they did, and nobody else does."""
    released = list[int]()
    monkeypatch.setattr(serve, "release_database", lambda: released.append(1))
    served()
    assert released == [1]
    monkeypatch.setattr(serve, "supervise", lambda _paths: be_a_child(monkeypatch))
    served()
    assert released == [1]
    monkeypatch.undo()


def be_a_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getpid", lambda: -1)
