"""Waiting for a model without being held by it.

A server that only keeps the connection alive, or a library that reads without an end, must not keep
a run's thread: the client runs in a thread of its own, and the driver listens with one deadline
around the whole call. Whenever it hears nothing it looks up, so that what was said so far is shown
and a cancelled run gives its place back.
"""

import queue
import threading
import time
from collections.abc import Callable, Iterator

from django.utils import translation

from agents.model_clients.errors import ModelError, ModelTimeout
from agents.model_clients.protocol import ModelClient, ModelReply, ModelRequest, StreamItem
from agents.model_clients.retries import listener_left

LOOK_UP_SECONDS = 0.2


def supervised(
    client: ModelClient, request: ModelRequest, *, seconds: float, look_up: Callable[[], None]
) -> Iterator[StreamItem]:
    """The client's stream. Raises `ModelTimeout`, what the client raises, and what `look_up` does.

    A thread that is left behind ends with the next thing that its model sends, and asks no other.
    """
    items: queue.SimpleQueue[StreamItem | Exception] = queue.SimpleQueue()
    left = threading.Event()
    language = translation.get_language()
    threading.Thread(
        target=_pump, args=(client, request, items, left, language), name="model", daemon=True
    ).start()
    deadline = time.monotonic() + seconds
    try:
        while True:
            item = _next(items, deadline, look_up)
            if isinstance(item, Exception):
                raise item
            yield item
            if isinstance(item, ModelReply):
                return
    finally:
        left.set()


def _next(
    items: "queue.SimpleQueue[StreamItem | Exception]",
    deadline: float,
    look_up: Callable[[], None],
) -> StreamItem | Exception:
    while True:
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            raise ModelTimeout
        try:
            return items.get(timeout=min(LOOK_UP_SECONDS, remaining))
        except queue.Empty:
            look_up()


def _pump(
    client: ModelClient,
    request: ModelRequest,
    items: "queue.SimpleQueue[StreamItem | Exception]",
    left: threading.Event,
    language: str | None,
) -> None:
    """The stream into the queue; its last entry is the whole reply or what went wrong."""
    listener_left.set(left)  # this thread's own
    with translation.override(language):
        try:
            for item in client.stream(request):
                if left.is_set():
                    return
                items.put(item)
            items.put(ModelError())  # no whole reply
        except Exception as error:  # noqa: BLE001  (raised again where it is listened to)
            items.put(error)
