"""A stream followed from process to process: nothing is missed, nothing comes twice."""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import httpx

from agents.model_clients.protocol import ToolRequest
from agents.models import Run
from agents.testing import scripted_server
from documents.models import Document
from tests.agents.conftest import asks, says
from tests.processes.harness import Product, Server
from tests.processes.people import agent_with, person
from tools.models import ActionDraft

QUICK = {"GATEHOUSE_RUN_LEASE_SECONDS": "2", "GATEHOUSE_RUN_SWEEP_SECONDS": "1"}
STREAM = {"Accept": "text/event-stream"}


@dataclass(frozen=True, slots=True)
class Event:
    id: int
    type: str
    data: Any


def events_of(response: httpx.Response) -> Iterator[Event]:
    lines: dict[str, str] = {}
    for line in response.iter_lines():
        if line:
            name, _colon, value = line.partition(": ")
            lines[name] = value
        elif "event" in lines:
            yield Event(int(lines["id"]), lines["event"], json.loads(lines["data"]))
            lines = {}


def send(server: Server, token: str, text: str) -> list[Event]:
    """What came until the stream ended, or its server died."""
    body, heard = {"text": text, "enable_tools": True}, []
    with (
        suppress(httpx.TransportError),
        server.client(token).stream(
            "POST", "/api/agent/messages/", json=body, headers=STREAM
        ) as response,
    ):
        for event in events_of(response):
            heard.append(event)  # noqa: PERF402  (kept although the stream breaks off)
    return heard


def follow(server: Server, token: str, run: Run, heard: list[Event]) -> list[Event]:
    """From where the client stopped, on any process."""
    headers = {**STREAM, "Last-Event-ID": str(heard[-1].id if heard else 0)}
    url = f"/api/agent/runs/{run.pk}/events/"
    with server.client(token).stream("GET", url, headers=headers) as response:
        return [*heard, *events_of(response)]


def types(events: list[Event]) -> list[str]:
    return [event.type for event in events]


def assert_gapless(events: list[Event]) -> None:
    assert [event.id for event in events] == list(range(1, len(events) + 1))


def test_a_stream_goes_on_at_another_process_and_says_what_was_restarted(
    product: Product,
) -> None:
    product.extra = dict(QUICK)
    _user, token = person("alice")
    agent_with("calculator")
    dying = product.start(faults=["step.asked"])
    heard = send(dying, token, "what is 6*7?")
    dying.wait_killed()
    assert types(heard)[0] == "run.started"

    whole = follow(product.start(), token, Run.objects.get(), heard)
    assert_gapless(whole)
    restarted = next(event for event in whole if event.type == "step.restarted")
    assert restarted.data == {"step": 1, "attempt": 2}
    assert types(whole)[-1] == "run.finished"
    assert whole[-1].data["status"] == "COMPLETED"
    assert "42" in whole[-1].data["answer"]


def test_cards_decided_across_a_restart_and_the_stream_that_tells_of_it(
    product: Product,
) -> None:
    """Three cards of one step, decided on another process than asked, the last first."""
    product.extra = dict(QUICK)
    user, token = person("alice")
    agent_with("document")
    documents = [
        Document.objects.create(owner=user, title=f"D{n}", content="x", type="document")
        for n in range(3)
    ]
    calls = [
        ToolRequest(str(n), "document", {"action": "delete", "id": str(one.pk)})
        for n, one in enumerate(documents)
    ]
    with scripted_server([asks(*calls), says("As you said.")]) as (base_url, _script):
        product.extra |= {
            "GATEHOUSE_MODEL": "openai/scripted",
            "GATEHOUSE_MODEL_BASE_URL": base_url,
            "GATEHOUSE_MODEL_API_KEY": "none",
        }
        server = product.start()
        heard = send(server, token, "delete all three")
        assert types(heard)[-1] == "run.paused"
        assert heard[-1].data["status"] == "NEEDS_CONFIRMATION"
        server.kill()

        by_document = {draft.plan["targets"][0]["id"]: draft for draft in ActionDraft.objects.all()}
        first, second, third = (by_document[str(one.pk)] for one in documents)
        server = product.start()
        decide(server, token, third, "respond", {"message": "keep the third"})
        decide(server, token, second, "dismiss", {})
        body = {"expected_version": first.version, "idempotency_key": "yes"}
        answer = decide(server, token, first, "confirm", body)
        assert answer["response"]["status"] == "COMPLETED"
        whole = follow(server, token, Run.objects.get(), heard)
    assert_gapless(whole)
    assert types(whole)[-1] == "run.finished"
    assert types(whole).count("action.required") == 3
    assert whole[-1].data["answer"] == "As you said."
    kept = set(Document.objects.for_user(user).values_list("title", flat=True))
    assert kept == {"D1", "D2"}


def decide(server: Server, token: str, draft: ActionDraft, how: str, body: Any) -> Any:
    answer = server.client(token).post(f"/api/agent/actions/{draft.pk}/{how}/", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()
