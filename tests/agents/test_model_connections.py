"""Connections to models: where they go, and that nobody's slow model holds those of others."""

import socket
import threading
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from agents.model_clients import litellm_client
from agents.model_clients.errors import ModelError, ModelRateLimited
from agents.model_clients.listener import Listener, current_listener
from agents.model_clients.protocol import ModelRequest
from agents.model_clients.supervised import MAX_LEFT_BEHIND, supervised
from agents.model_clients.transport import guarded_client
from agents.testing import Hang, HttpError, Raw, scripted_server
from agents.testing.script import Line
from config.base.errors import LeaseLost
from tests.agents.hostile_servers import SSE
from tests.agents.test_litellm_client import PROMPT, client_at, complete, stream

pytestmark = pytest.mark.filterwarnings("ignore")  # what litellm's own code warns of


@pytest.mark.parametrize("streams", [True, False])
@pytest.mark.parametrize("provider", sorted(litellm_client._AT_BASE_URL | {"replicate", "triton"}))
def test_with_a_base_url_nobody_else_is_asked(
    provider: str, streams: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is asked there: that it comes here, and nothing at all is sent elsewhere."""
    connect, places = socket.socket.connect, set()

    def noted(one: socket.socket, address: Any) -> None:
        places.add(address[:2])
        connect(one, address)

    monkeypatch.setattr(socket.socket, "connect", noted)
    monkeypatch.setenv("AZURE_API_VERSION", "2024-06-01")
    with scripted_server([HttpError(400)]) as (base_url, _script):
        with pytest.raises(ModelError):
            stream(client_at(base_url, provider, stream=streams))
        places.discard(("127.0.0.1", 11434))  # where it looks for prices of Ollama's models
        assert places == {("127.0.0.1", urlsplit(base_url).port)}


@pytest.mark.parametrize(
    "line", [Hang(), Raw([b": waits\n\n"] * 9, content_type=SSE, pause_seconds=9)]
)
def test_who_leaves_cuts_the_connection_and_its_thread_ends(line: Line) -> None:
    before = set(threading.enumerate())
    with scripted_server([line]) as (base_url, script):
        asked = client_at(base_url, "openai", stream=True, first_byte_seconds=60, idle_seconds=60)

        def leave_when_asked() -> None:
            if script.bodies:
                raise LeaseLost

        with pytest.raises(LeaseLost):
            list(supervised(asked, PROMPT, seconds=60, look_up=leave_when_asked))
        for thread in set(threading.enumerate()) - before:
            if thread.name == "model":
                thread.join(5)
                assert not thread.is_alive()


def test_a_slow_server_takes_no_connections_of_the_others() -> None:
    """A hundred wait for one that never answers: as many as the usual pool holds."""
    waiting = [Listener() for _ in range(101)]
    with socket.create_server(("127.0.0.1", 0), backlog=128) as slow:
        url = f"http://127.0.0.1:{slow.getsockname()[1]}/"

        def wait(listener: Listener) -> None:
            current_listener.set(listener)
            with suppress(httpx.TransportError):
                guarded_client().post(url, timeout=30)

        threads = [threading.Thread(target=wait, args=(one,)) for one in waiting]
        for thread in threads:
            thread.start()
        accepted = [slow.accept()[0] for _ in threads]
        with scripted_server(["Hello."]) as (base_url, _script):
            complete(client_at(base_url, "openai", stream=False, connect_seconds=1))
        for listener in waiting:
            listener.leave()
        for thread in threads:
            thread.join(5)
        assert not any(thread.is_alive() for thread in threads)
        for one in accepted:
            one.close()


def test_who_leaves_too_much_behind_has_to_wait_and_others_do_not() -> None:
    """A client that nothing can cut, as while it connects."""
    go_on = threading.Event()

    class Stuck:
        def stream(self, request: ModelRequest) -> Any:
            go_on.wait(20)
            yield from ()

    def leave() -> None:
        raise LeaseLost

    def ask(person: str) -> None:
        client: Any = Stuck()
        list(supervised(client, PROMPT, seconds=20, look_up=leave, person=person))

    threads = set(threading.enumerate())
    for _ in range(MAX_LEFT_BEHIND):
        with pytest.raises(LeaseLost):
            ask("alice")
    with pytest.raises(ModelRateLimited):
        ask("alice")
    with pytest.raises(LeaseLost):
        ask("bob")
    go_on.set()
    for thread in set(threading.enumerate()) - threads:
        thread.join(5)
    go_on.clear()
    with pytest.raises(LeaseLost):
        ask("alice")
    go_on.set()
