"""Server-sent events of a run: numbered, resumable, read from the log alone."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connection, connections
from django.test import AsyncClient

from agents.api import streams
from agents.api.streams import encode, stream_events
from agents.model_clients.protocol import ModelReply, ModelRequest, StreamItem, TextDelta
from agents.models import Agent, Run, RunEvent, RunStatus
from agents.runs import news
from agents.runs.finish import cancel_run
from agents.runs.start import TurnRequest, start_turn
from agents.testing import ScriptedClient
from config.base.actor import Actor, Origin
from config.base.models import ApiToken, User
from config.base.tokens import revoke_token
from config.base.wake import listen, unlisten
from tests.agents.cards import conversation_of, make_document, parked_delete, run_of
from tests.agents.conftest import asks, call, go_on, says
from tests.clients import token_of

pytestmark = [pytest.mark.django_db(transaction=True)]

URL = "/api/agent/messages/"


def event(run: Run, seq: int, type_: str = "text.delta", **data: Any) -> RunEvent:
    assert run.conversation
    return RunEvent.objects.create(
        run=run, conversation=run.conversation, seq=seq, type=type_, data=data
    )


@pytest.fixture
def run(alice: User, guide: Agent) -> Run:
    return run_of(conversation_of(alice, guide), status=RunStatus.COMPLETED)


def collect(
    run: Run,
    *,
    after: int = 0,
    may_go_on: Callable[[], bool] = lambda: True,
    each: Callable[[str], object] = lambda piece: None,
) -> list[str]:
    """Everything the stream says; `each` is called with every piece as it comes."""

    async def read() -> list[str]:
        pieces = []
        async with asyncio.timeout(20):
            async for piece in stream_events(run.pk, after=after, may_go_on=may_go_on):
                await asyncio.to_thread(_and_close, each, piece)
                pieces.append(piece)
        return pieces

    return asyncio.run(read())


def _and_close(each: Callable[[str], object], piece: str) -> None:
    try:
        each(piece)
    finally:
        connection.close()


def ids(pieces: list[str]) -> list[int]:
    return [int(piece.split("\n")[0][4:]) for piece in pieces if piece.startswith("id: ")]


# --- One event ---


@pytest.mark.parametrize(
    "text", ["a", "line\nbreak", "\r\n\r\n", "你好 🦉", "data: x\n\nid: 9", ""]
)
def test_an_event_is_three_lines_whatever_it_holds(text: str) -> None:
    encoded = encode(RunEvent(seq=7, type="text.delta", data={"text": text}))
    assert encoded.endswith("\n\n")
    lines = encoded[:-2].split("\n")
    assert lines[:2] == ["id: 7", "event: text.delta"]
    assert len(lines) == 3
    assert "\r" not in encoded
    assert json.loads(lines[2].removeprefix("data: ")) == {"text": text}


# --- The iterator ---


@pytest.mark.both
def test_it_gives_everything_that_was_written_and_ends_with_the_run(run: Run) -> None:
    for seq in (1, 2, 3):
        event(run, seq)
    pieces = collect(run)
    assert pieces[0] == ": connected\n\n"
    assert ids(pieces) == [1, 2, 3]


@pytest.mark.parametrize(("after", "seen"), [(0, [1, 2, 3]), (2, [3]), (3, []), (99, [])])
def test_it_goes_on_after_the_last_event_that_was_seen(
    run: Run, after: int, seen: list[int]
) -> None:
    for seq in (1, 2, 3):
        event(run, seq)
    assert ids(collect(run, after=after)) == seen


def test_more_events_than_one_read_takes_are_all_given(run: Run) -> None:
    RunEvent.objects.bulk_create(
        RunEvent(run=run, conversation=run.conversation, seq=seq, type="x", data={})
        for seq in range(1, 1203)
    )
    assert ids(collect(run)) == list(range(1, 1203))


@pytest.mark.both
def test_it_gives_what_comes_while_it_is_read(run: Run) -> None:
    Run.objects.update(status=RunStatus.RUNNING)
    event(run, 1)

    def answer(piece: str) -> None:
        if piece.startswith("id: 1\n"):
            event(run, 2)
        if piece.startswith("id: 2\n"):
            event(run, 3, "run.finished")
            Run.objects.update(status=RunStatus.COMPLETED)

    assert ids(collect(run, each=answer)) == [1, 2, 3]


def test_it_ends_when_the_run_waits_for_a_person(run: Run, alice: User) -> None:
    parked_delete(alice, run_id=run.pk)
    Run.objects.update(status=RunStatus.WAITING)
    event(run, 1, "action.required")
    assert ids(collect(run)) == [1]


def test_it_does_not_end_when_the_run_is_about_to_be_taken_up_again(run: Run) -> None:
    """Its card was decided, and no host has claimed it yet."""
    Run.objects.update(status=RunStatus.WAITING)
    event(run, 1, "action.required")

    def finish(piece: str) -> None:
        event(run, 2, "run.finished")
        Run.objects.update(status=RunStatus.COMPLETED)

    assert ids(collect(run, each=lambda p: finish(p) if "id: 1\n" in p else None)) == [1, 2]


def test_a_run_that_is_gone_ends_it(run: Run) -> None:
    key = run.pk
    run.delete()
    run.pk = key
    assert collect(run) == [": connected\n\n"]


def test_it_says_that_it_is_still_there(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "HEARTBEAT_SECONDS", 0.05)
    monkeypatch.setattr(news, "HERE_SECONDS", 0.03)
    Run.objects.update(status=RunStatus.RUNNING)

    def finish(piece: str) -> None:
        if piece == ": still here\n\n":
            Run.objects.update(status=RunStatus.COMPLETED)

    pieces = collect(run, each=finish)
    assert ": still here\n\n" in pieces
    assert ids(pieces) == []


def test_who_is_signed_out_meanwhile_gets_nothing_more(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "RECHECK_SECONDS", 0)
    Run.objects.update(status=RunStatus.RUNNING)
    event(run, 1)
    answers = iter([True, False])
    pieces = collect(run, may_go_on=lambda: next(answers))
    assert ids(pieces) == [1]
    assert pieces[-1].startswith("event: error\ndata: ")
    assert "not_authenticated" in pieces[-1]


# --- Over HTTP, from ASGI ---


@pytest.fixture
def driving(guide: Agent) -> Iterator[None]:
    """A run that was started is driven by a thread, as by a RunHost."""
    threads: list[threading.Thread] = []

    def drive() -> None:
        try:
            for run in Run.objects.filter(status=RunStatus.QUEUED):
                go_on(run)
        finally:
            connection.close()

    def wake() -> None:
        threads.append(threading.Thread(target=drive))
        threads[-1].start()

    listen(wake)
    yield
    unlisten(wake)
    for thread in threads:
        thread.join(20)


type Answer = tuple[Any, list[str]]


def over_http(method: str, url: str, **more: Any) -> Answer:
    """The response and the pieces of its body."""

    async def ask() -> Answer:
        client = AsyncClient()
        try:
            async with asyncio.timeout(20):
                response = await getattr(client, method)(url, **more)
                pieces = [piece.decode() async for piece in response.streaming_content]
            return response, pieces
        finally:
            await sync_to_async(connections.close_all)()

    return asyncio.run(ask())


def send(token: str, text: str, **headers: str) -> Answer:
    return over_http(
        "post",
        URL,
        data={"text": text, "enable_tools": True},
        content_type="application/json",
        headers={"Authorization": f"Bearer {token}", "Accept": "text/event-stream", **headers},
    )


def types(pieces: list[str]) -> list[str]:
    return [piece.split("\n")[1].removeprefix("event: ") for piece in pieces if "event: " in piece]


def data_of(piece: str) -> Any:
    return json.loads(piece.strip().split("\n")[2].removeprefix("data: "))


@pytest.mark.usefixtures("driving")
def test_a_message_is_answered_with_its_events(alice: User, model: ScriptedClient) -> None:
    model.script = [asks(call("calculator", {"expression": "6*7"})), says("It is 42.")]
    response, pieces = send(token_of(alice), "6*7?")
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "text/event-stream"
    assert response.headers["Cache-Control"] == "no-store"
    run = Run.objects.get()
    assert response.headers["X-Run-Id"] == str(run.pk)
    assert types(pieces) == [
        "run.started",
        "step.started",
        "tool.started",
        "tool.finished",
        "step.started",
        "text.delta",
        "run.finished",
    ]
    assert ids(pieces) == list(range(1, len(ids(pieces)) + 1))
    whole = data_of(pieces[-1])
    assert (whole["status"], whole["answer"], whole["run_id"]) == (
        "COMPLETED",
        "It is 42.",
        str(run.pk),
    )
    assert "usage" in whole


@pytest.mark.usefixtures("driving")
def test_a_repeated_send_gets_the_same_events(alice: User, model: ScriptedClient) -> None:
    model.script = [says("Hello.")]
    token = token_of(alice)
    _response, first = send(token, "hi", **{"Idempotency-Key": "k"})
    _response, again = send(token, "hi", **{"Idempotency-Key": "k"})
    assert again == first
    assert Run.objects.count() == 1


@pytest.mark.usefixtures("driving")
def test_a_card_ends_the_stream_and_is_in_it(alice: User, model: ScriptedClient) -> None:
    notes = make_document(alice)
    model.script = [asks(call("document", {"action": "delete", "id": str(notes.pk)}))]
    _response, pieces = send(token_of(alice), "delete it")
    assert types(pieces)[-2:] == ["action.required", "run.paused"]
    assert data_of(pieces[-2])["targets"][0]["id"] == str(notes.pk)
    paused = data_of(pieces[-1])
    assert paused["status"] == "NEEDS_CONFIRMATION"
    assert paused["action_draft"]["id"] == data_of(pieces[-2])["id"]


class Hanging:
    """A model over a network that says nothing until it is let go."""

    patience_seconds = 30.0

    def __init__(self) -> None:
        self.asked, self.go_on = threading.Event(), threading.Event()

    def complete(self, request: ModelRequest) -> ModelReply:
        raise AssertionError

    def stream(self, request: ModelRequest) -> Iterator[StreamItem]:
        self.asked.set()
        self.go_on.wait(20)
        yield ModelReply("too late")


@pytest.mark.both
@pytest.mark.usefixtures("driving")
def test_cancelling_while_the_model_hangs_ends_every_open_stream(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging = Hanging()
    monkeypatch.setattr("agents.runs.drive.client_for", lambda agent: hanging)
    monkeypatch.setattr("agents.model_clients.supervised.LOOK_UP_SECONDS", 0.05)
    run = start_turn(alice, TurnRequest(text="hi"))

    def cancel(piece: str) -> None:
        if "step.started" in piece:
            assert hanging.asked.wait(20)
            cancel_run(Actor(user=alice, origin=Origin.PAGE), run.pk)

    pieces = collect(run, each=cancel)
    assert types(pieces)[-1] == "run.finished"
    assert data_of(pieces[-1])["status"] == "CANCELLED"
    hanging.go_on.set()
    assert types(collect(run, after=ids(pieces)[-1])) == []  # and nothing comes after it


@pytest.mark.parametrize(
    ("last", "seen"),
    [("", [1, 2, 3]), ("2", [3]), ("3", []), ("x", [1, 2, 3]), ("-1", [1, 2, 3])],
)
def test_a_client_that_comes_back_misses_nothing(
    run: Run, alice: User, last: str, seen: list[int]
) -> None:
    for seq in (1, 2, 3):
        event(run, seq)
    headers = {"Authorization": f"Bearer {token_of(alice)}", "Accept": "text/event-stream"}
    if last:
        headers["Last-Event-ID"] = last
    url = f"/api/agent/runs/{run.pk}/events/"
    response, pieces = over_http("get", url, headers=headers)
    assert response.status_code == 200
    assert ids(pieces) == seen
    assert all(earlier < later for earlier, later in pairwise(ids(pieces)))


@pytest.mark.parametrize("way", ["token", "session", "password"])
def test_signing_out_ends_an_open_stream(
    run: Run, alice: User, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setattr(streams, "RECHECK_SECONDS", 0.2)
    monkeypatch.setattr(news, "HERE_SECONDS", 0.05)
    Run.objects.update(status=RunStatus.RUNNING)
    url = f"/api/agent/runs/{run.pk}/events/"

    def sign_out(client: AsyncClient) -> None:
        if way == "token":
            actor = Actor(user=alice, origin=Origin.PAGE)
            revoke_token(ApiToken.objects.get(), actor=actor)
        elif way == "session":
            client.logout()
        else:
            alice.set_password("another one")
            alice.save()

    async def read() -> list[str]:
        client = AsyncClient()
        headers = {}
        if way == "token":
            headers["Authorization"] = f"Bearer {await sync_to_async(token_of)(alice)}"
        else:
            await client.aforce_login(alice)
        try:
            async with asyncio.timeout(20):
                response: Any = await client.get(url, headers=headers)
                pieces = []
                async for piece in response.streaming_content:
                    pieces.append(piece.decode())
                    if len(pieces) == 1:
                        await sync_to_async(sign_out)(client)
            return pieces
        finally:
            await sync_to_async(connections.close_all)()

    pieces = asyncio.run(read())
    assert pieces[-1].startswith("event: error")


class Stalling(Hanging):
    """A model that stops in the middle of a word."""

    def stream(self, request: ModelRequest) -> Iterator[StreamItem]:
        yield TextDelta("Hel")
        self.go_on.wait(20)
        yield TextDelta("lo.")
        yield ModelReply("Hello.")


@pytest.mark.usefixtures("driving")
def test_what_a_model_said_before_it_stalled_is_shown_meanwhile(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    stalling = Stalling()
    monkeypatch.setattr("agents.runs.drive.client_for", lambda agent: stalling)
    run = start_turn(alice, TurnRequest(text="hi"))

    def go_on_when_shown(piece: str) -> None:
        if "Hel" in piece:
            stalling.go_on.set()

    pieces = collect(run, each=go_on_when_shown)
    deltas = [data_of(piece)["text"] for piece in pieces if "text.delta" in piece]
    assert deltas == ["Hel", "lo."]
