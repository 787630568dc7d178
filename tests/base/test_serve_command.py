"""`manage.py serve` says in one line why it can't listen, before it changes anything."""

import socket
from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from config.base.management.commands.serve import check_port


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
