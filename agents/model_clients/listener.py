"""Who waits for a model's answer. When they leave, the connection is cut under whoever reads it.

Without this a thread keeps its place and its socket until the model says something, and a person
who starts and stops runs can take all there are.
"""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar

import httpcore

from agents.model_clients.metering import Meter


class Listener:
    def __init__(self, meter: Meter | None = None) -> None:
        self.meter = meter or Meter()
        self._left = threading.Event()
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None

    @property
    def has_left(self) -> bool:
        return self._left.is_set()

    def wait(self, seconds: float) -> None:
        """At most so long, and not when nobody listens any more."""
        self._left.wait(seconds)

    def leave(self) -> None:
        with self._lock:
            self._left.set()
            if self._socket is not None:
                _cut(self._socket)

    @contextmanager
    def using(self, one: socket.socket | None) -> Iterator[None]:
        """Only for as long as it is waited on: in the pool it may be somebody else's next."""
        with self._lock:
            if self._left.is_set():
                raise httpcore.ReadError("nobody listens any more")
            self._socket = one
        try:
            yield
        finally:
            with self._lock:
                self._socket = None


# Of the thread that asks; set by `supervised`.
current_listener: ContextVar[Listener | None] = ContextVar("current_listener", default=None)


def current_meter() -> Meter:
    """Of whoever listens; else one that nobody looks at."""
    listener = current_listener.get()
    return Meter() if listener is None else listener.meter


def _cut(one: socket.socket) -> None:
    """Wakes a read in another thread, which `close` would not. Past TLS, whose state is not ours
    to touch from here."""
    with suppress(OSError):
        socket.socket.shutdown(one, socket.SHUT_RDWR)
