"""Background hosts live as long as the web process; one that breaks takes no other along."""

import asyncio
from collections.abc import Mapping
from typing import Any, ClassVar

import pytest
from pytest_django import Settings

from config.asgi import application
from config.base.hosts import BackgroundHosts


class First:
    happened: ClassVar[list[str]] = []

    @property
    def name(self) -> str:
        return type(self).__name__.lower()

    def start(self) -> None:
        self.happened.append(f"{self.name} starts")

    def stop(self) -> None:
        self.happened.append(f"{self.name} stops")


class Second(First):
    pass


class Unwilling(First):
    def start(self) -> None:
        raise RuntimeError("not here")


class Stubborn(First):
    def stop(self) -> None:
        raise RuntimeError("will not")


@pytest.fixture(autouse=True)
def happened(settings: Settings) -> list[str]:
    First.happened.clear()
    name_hosts(settings, First, Second)
    return First.happened


def name_hosts(settings: Settings, *hosts: type[First]) -> None:
    settings.BACKGROUND_HOSTS = [f"{host.__module__}.{host.__qualname__}" for host in hosts]


def test_they_stop_in_the_opposite_order(happened: list[str]) -> None:
    hosts = BackgroundHosts()
    hosts.start()
    hosts.stop()
    assert happened == ["first starts", "second starts", "second stops", "first stops"]


def test_stopping_twice_is_once(happened: list[str]) -> None:
    hosts = BackgroundHosts()
    hosts.start()
    hosts.stop()
    hosts.stop()
    assert happened.count("first stops") == 1


def test_one_that_will_not_stop_holds_up_no_other(
    happened: list[str], settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    name_hosts(settings, First, Stubborn)
    hosts = BackgroundHosts()
    hosts.start()
    hosts.stop()
    assert happened[-1] == "first stops"
    assert "did not stop cleanly" in caplog.text


def test_the_asgi_application_starts_and_stops_them(happened: list[str]) -> None:
    told = list[str]()
    live(told)
    assert told == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    assert happened == ["first starts", "second starts", "second stops", "first stops"]


def test_an_application_whose_host_does_not_start_serves_nobody(
    happened: list[str], settings: Settings
) -> None:
    """Servers that only log an error in here are told so that they stop."""
    name_hosts(settings, First, Unwilling, Second)
    told = list[str]()
    with pytest.raises(RuntimeError, match="not here"):
        live(told)
    assert told == ["lifespan.startup.failed"]
    assert happened == ["first starts", "first stops"]


def live(told: list[str]) -> None:
    """A server starts the application and stops it; what it is told."""
    messages = iter(["lifespan.startup", "lifespan.shutdown"])

    async def receive() -> dict[str, Any]:
        return {"type": next(messages)}

    async def send(message: Mapping[str, Any]) -> None:
        told.append(message["type"])

    asyncio.run(application({"type": "lifespan"}, receive, send))
