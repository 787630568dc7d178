"""A model that never ends holds nobody: one deadline around all, and cancelling frees the run."""

import threading
import time
from collections.abc import Iterator

import pytest

from agents.model_clients.errors import ModelError, ModelTimeout, ModelUnreachable
from agents.model_clients.fallback import FallbackClient
from agents.model_clients.protocol import (
    ModelClient,
    ModelReply,
    ModelRequest,
    StreamItem,
    TextDelta,
)
from agents.model_clients.retries import Attempts
from agents.model_clients.supervised import supervised
from config.base.errors import LeaseLost


class Client:
    """Says what it is given; then waits until it is let go."""

    def __init__(self, *items: StreamItem | Exception) -> None:
        self.items = items
        self.was_asked = False
        self.go_on = threading.Event()

    def complete(self, request: ModelRequest) -> ModelReply:
        raise AssertionError

    def stream(self, request: ModelRequest) -> Iterator[StreamItem]:
        self.was_asked = True
        for item in self.items:
            if isinstance(item, Exception):
                raise item
            yield item
        self.go_on.wait(20)


def listen(client: ModelClient, *, seconds: float = 20, look_up: object = None) -> list[StreamItem]:
    request = ModelRequest(messages=())
    return list(
        supervised(
            client,
            request,
            seconds=seconds,
            look_up=look_up or (lambda: None),  # type: ignore[arg-type]  # a callable of each test
        )
    )


def test_it_hands_on_what_the_model_says_and_ends_with_the_reply() -> None:
    client = Client(TextDelta("He"), TextDelta("llo"), ModelReply("Hello"))
    assert listen(client) == [TextDelta("He"), TextDelta("llo"), ModelReply("Hello")]
    client.go_on.set()


def test_it_raises_what_the_client_raises() -> None:
    with pytest.raises(ModelUnreachable):
        listen(Client(TextDelta("He"), ModelUnreachable()))


def test_a_stream_without_a_reply_is_an_error() -> None:
    client = Client(TextDelta("He"))
    client.go_on.set()
    with pytest.raises(ModelError):
        listen(client)


def test_silence_ends_with_the_deadline() -> None:
    client = Client(TextDelta("He"))
    began = time.monotonic()
    with pytest.raises(ModelTimeout):
        listen(client, seconds=0.2)
    assert time.monotonic() - began < 5
    client.go_on.set()


def test_a_run_that_was_stopped_leaves_the_model_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.model_clients.supervised.LOOK_UP_SECONDS", 0.05)
    client = Client(TextDelta("He"))

    def stopped() -> None:
        raise LeaseLost

    with pytest.raises(LeaseLost):
        listen(client, look_up=stopped)
    client.go_on.set()


def test_a_run_that_was_stopped_asks_no_model_anything_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("agents.model_clients.supervised.LOOK_UP_SECONDS", 0.05)
    asking, ended = threading.Event(), threading.Event()
    spare = Client(ModelReply("never"))
    told: list[type[Exception]] = []

    class Busy(Client):
        """Fails when nobody listens any more, and would be asked again."""

        def stream(self, request: ModelRequest) -> Iterator[StreamItem]:
            asking.set()
            self.go_on.wait(20)
            attempts = Attempts(retries=5, timeout_seconds=60)
            try:
                attempts.wait_after(ModelUnreachable())
            except ModelUnreachable:
                told.append(ModelUnreachable)
                raise
            yield ModelReply("again")

    class Watched(FallbackClient):
        def stream(self, request: ModelRequest) -> Iterator[StreamItem]:
            try:
                yield from super().stream(request)
            finally:
                ended.set()

    def stopped() -> None:
        if asking.is_set():
            raise LeaseLost

    busy = Busy()
    with pytest.raises(LeaseLost):
        listen(Watched([("A", busy), ("B", spare)]), look_up=stopped)
    busy.go_on.set()
    assert ended.wait(20)
    assert told == [ModelUnreachable]
    assert not spare.was_asked
