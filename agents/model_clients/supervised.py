"""Waiting for a model without being held by it.

A server that only keeps the connection alive, or a library that reads without an end, must not keep
a run's thread: the client runs in a thread of its own, and the driver listens with one deadline
around the whole call. Whenever it hears nothing it looks up, so that what was said so far is shown
and a cancelled run gives its place back.
"""

import queue
import threading
import time
from collections.abc import Callable, Hashable, Iterator

from django.utils import translation
from django.utils.translation import gettext as _

from agents.model_clients.errors import ModelError, ModelRateLimited, ModelTimeout
from agents.model_clients.listener import Listener, current_listener
from agents.model_clients.metering import Meter
from agents.model_clients.protocol import ModelClient, ModelReply, ModelRequest, StreamItem

LOOK_UP_SECONDS = 0.2
MAX_LEFT_BEHIND = 8  # of one person; what is looked up or connected to can't be cut

_behind: dict[Hashable, list[threading.Thread]] = {}
_counting = threading.Lock()


def supervised(
    client: ModelClient,
    request: ModelRequest,
    *,
    seconds: float,
    look_up: Callable[[], None],
    meter: Meter | None = None,
    person: Hashable = None,
) -> Iterator[StreamItem]:
    """The client's stream. Raises `ModelTimeout`, what the client raises, and what `look_up` does.

    When the caller leaves, the model's connection is cut; the thread ends and asks no other.
    """
    _refuse_too_many(person)
    items: queue.SimpleQueue[StreamItem | Exception] = queue.SimpleQueue()
    listener = Listener(meter)
    arguments = (client, request, items, listener, translation.get_language())
    thread = threading.Thread(target=_pump, args=arguments, name="model", daemon=True)
    thread.start()
    deadline = time.monotonic() + seconds
    try:
        while True:
            item = _next(items, deadline, look_up)
            if isinstance(item, Exception):
                raise item
            yield item
            if isinstance(item, ModelReply):
                return
    except BaseException:
        _count_behind(person, thread)
        raise
    finally:
        listener.leave()


def _refuse_too_many(person: Hashable) -> None:
    with _counting:
        left = [thread for thread in _behind.pop(person, ()) if thread.is_alive()]
        if left:
            _behind[person] = left
    if len(left) >= MAX_LEFT_BEHIND:
        raise ModelRateLimited(
            _("Too much of what you stopped has not ended yet. Try again in a minute.")
        )


def _count_behind(person: Hashable, thread: threading.Thread) -> None:
    if person is not None:
        with _counting:
            _behind.setdefault(person, []).append(thread)


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
    listener: Listener,
    language: str | None,
) -> None:
    """The stream into the queue; its last entry is the whole reply or what went wrong."""
    current_listener.set(listener)  # this thread's own
    with translation.override(language):
        try:
            for item in client.stream(request):
                if listener.has_left:
                    return
                items.put(item)
            items.put(ModelError())  # no whole reply
        except Exception as error:  # noqa: BLE001  (raised again where it is listened to)
            items.put(error)
