"""Background hosts of a web process: named in settings.BACKGROUND_HOSTS, started together."""

import logging
from typing import Protocol

from django.conf import settings
from django.utils.module_loading import import_string

log = logging.getLogger(__name__)


class Host(Protocol):
    def start(self) -> None: ...

    def stop(self) -> None:
        """Return once the host does nothing any more, or after a few seconds at most."""


class BackgroundHosts:
    def __init__(self) -> None:
        self._hosts: list[Host] = []

    def start(self) -> None:
        for path in settings.BACKGROUND_HOSTS:
            host: Host = import_string(path)()
            host.start()
            self._hosts.append(host)

    def stop(self) -> None:
        for host in reversed(self._hosts):
            try:
                host.stop()
            except Exception:
                log.exception("a background host did not stop cleanly")
        self._hosts.clear()
